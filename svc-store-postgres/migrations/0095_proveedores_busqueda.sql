-- As that of products.
ALTER INDEX proveedores_busqueda SET (gin_pending_list_limit = 256);
