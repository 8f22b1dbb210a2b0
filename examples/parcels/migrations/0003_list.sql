-- What the list shows: a parcel with columns of its sale.
CREATE VIEW paqueteria_lista AS
SELECT e.empresa, e.clave, e.venta, v.cliente, v.total, e.guia, e.estatus, e.creado, e.entregado
FROM paqueteria_envios e
JOIN ventas v ON v.empresa = e.empresa AND v.clave = e.venta;
