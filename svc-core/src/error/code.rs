//! The public errors, in one table: name, HTTP status, wire code and Spanish text.

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $variant:ident = $status:literal $codigo:literal $mensaje:literal,)*) => {
        /// The public errors (spec, "Errors"; contract §2 to §5). A variant bears its wire code's
        /// name.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code { $($(#[doc = $doc])* $variant,)* }

        impl Code {
            /// Every code there is.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The HTTP status it answers with.
            pub const fn status(self) -> u16 {
                match self { $(Code::$variant => $status,)* }
            }

            /// The wire code, `error.codigo`.
            pub const fn codigo(self) -> &'static str {
                match self { $(Code::$variant => $codigo,)* }
            }

            /// When it is answered, in English.
            pub const fn meaning(self) -> &'static str {
                match self { $(Code::$variant => concat!($($doc),*).trim_ascii(),)* }
            }

            /// The text of `error.mensaje` when the error has none of its own.
            pub const fn mensaje(self) -> &'static str {
                match self { $(Code::$variant => $mensaje,)* }
            }
        }
    };
}

codes! {
    /// The path names no operation.
    RutaNoExiste = 404 "ruta_no_existe" "la ruta no existe",
    /// The path exists with other methods, which `Allow` lists.
    MetodoNoPermitido = 405 "metodo_no_permitido" "el método no está permitido en esta ruta",
    /// An Origin header, a `sid` parameter or an anti-forgery header.
    NavegadorNoPermitido = 400 "navegador_no_permitido" "esta API no se llama desde un navegador",
    /// No key, a wrong, revoked or expired one.
    LlaveInvalida = 401 "llave_invalida" "la llave falta, no es válida, venció o fue revocada",
    /// The company has no API.
    ApiNoHabilitada = 404 "api_no_habilitada" "la empresa no tiene habilitada la API",
    /// The key's owner lost access to the company.
    LlaveSinTitular = 401 "llave_sin_titular" "el usuario dueño de la llave ya no tiene acceso a la empresa",
    /// No current Pro plan.
    PlanRequerido = 402 "plan_requerido" "la empresa no tiene un plan Pro vigente",
    /// The key has not accepted the current terms.
    TerminosPendientes = 403 "terminos_pendientes" "la llave no ha aceptado los términos vigentes de la API",
    /// The key's requests of this minute are used up.
    LimiteExcedido = 429 "limite_excedido" "la llave agotó sus peticiones de este minuto; reintente después de Retry-After segundos",
    /// The company's operations of this month are used up.
    CupoAgotado = 429 "cupo_agotado" "la empresa agotó su cupo de operaciones del mes",
    /// The company has too many requests under way.
    Ocupado = 503 "ocupado" "la empresa tiene demasiadas peticiones en curso; reintente",
    /// The key lacks the operation's scope.
    SinPermiso = 403 "sin_permiso" "la llave no tiene el permiso de esta operación",
    /// A write without `Content-Type: application/json`.
    TipoNoSoportado = 415 "tipo_no_soportado" "el cuerpo debe ser JSON con Content-Type application/json",
    /// The body is larger than the maximum.
    CuerpoExcedido = 413 "cuerpo_excedido" "el cuerpo excede el tamaño máximo",
    /// A write without Idempotency-Key.
    IdempotenciaRequerida = 400 "idempotencia_requerida" "falta el encabezado Idempotency-Key",
    /// An Idempotency-Key that is not 1 to 255 visible ASCII characters.
    IdempotenciaInvalida = 400 "idempotencia_invalida" "Idempotency-Key debe tener de 1 a 255 caracteres ASCII visibles",
    /// The same Idempotency-Key with other data.
    IdempotenciaConflicto = 409 "idempotencia_conflicto" "esa Idempotency-Key ya se usó con otros datos",
    /// The first request with this Idempotency-Key is still at work.
    IdempotenciaEnCurso = 409 "idempotencia_en_curso" "otra petición con esa Idempotency-Key sigue en curso",
    /// A query parameter that is no filter of the operation.
    FiltroNoPermitido = 400 "filtro_no_permitido" "no es un filtro de esta operación",
    /// A filter without a value.
    FiltroVacio = 400 "filtro_vacio" "el filtro está vacío",
    /// A filter of the wrong type or length, not in its enumeration, or given twice.
    FiltroInvalido = 400 "filtro_invalido" "el filtro no es válido",
    /// `limite` is no integer of the regime's range.
    LimiteInvalido = 400 "limite_invalido" "limite no es válido",
    /// `cursor` is not one of ours, or not for this query.
    CursorInvalido = 400 "cursor_invalido" "cursor no es válido para esta consulta",
    /// A required selector is missing.
    FiltroRequerido = 400 "filtro_requerido" "falta un filtro obligatorio",
    /// A date range reversed or too long.
    RangoInvalido = 400 "rango_invalido" "el rango de fechas no es válido",
    /// No word of three characters to search for.
    BusquedaCorta = 400 "busqueda_corta" "la búsqueda necesita una palabra de al menos 3 caracteres",
    /// The body is not one JSON object with distinct keys, in UTF-8.
    JsonInvalido = 400 "json_invalido" "el cuerpo no es un objeto JSON válido",
    /// The body has a field that the operation does not know.
    CampoNoPermitido = 400 "campo_no_permitido" "no es un campo de esta operación",
    /// A required datum is missing or empty.
    DatoRequerido = 400 "dato_requerido" "falta un dato obligatorio",
    /// A datum of the wrong type, length, range, pattern or enumeration.
    DatoInvalido = 400 "dato_invalido" "un dato no es válido",
    /// The record named in the path is not in this company.
    NoEncontrado = 404 "no_encontrado" "el registro no existe en esta empresa",
    /// The record has no stamped document, or not yet.
    DocumentoNoDisponible = 409 "documento_no_disponible" "la factura no tiene un documento timbrado, o todavía no",
    /// The RFC is malformed.
    RfcInvalido = 422 "rfc_invalido" "rfc: no tiene la estructura de un RFC",
    /// Another customer of the company has this RFC.
    RfcDuplicado = 409 "rfc_duplicado" "rfc: ya existe un cliente con ese RFC",
    /// The regime is not in the SAT's catalogue.
    RegimenInvalido = 422 "regimen_invalido" "regimen: no está en el catálogo del SAT",
    /// The regime is not for this kind of person.
    RegimenIncompatible = 422 "regimen_incompatible" "regimen: no corresponde al tipo de persona del RFC",
    /// The CFDI use is not in the SAT's catalogue.
    UsoCfdiInvalido = 422 "uso_cfdi_invalido" "uso_cfdi: no está en el catálogo del SAT",
    /// The CFDI use is not for this regime or kind of person.
    UsoCfdiIncompatible = 422 "uso_cfdi_incompatible" "uso_cfdi: no corresponde al régimen o al tipo de persona",
    /// The postal code is not in the SAT's catalogue.
    CpInvalido = 422 "cp_invalido" "cp: no está en el catálogo de códigos postales",
    /// The country key is unknown.
    PaisInvalido = 422 "pais_invalido" "pais: no es una clave de país",
    /// Companies in a franchise scheme cannot use this operation yet.
    EmpresaEnFranquicia = 422 "empresa_en_franquicia" "la empresa opera en franquicia y no puede usar esta operación todavía",
    /// A contact was logged without saying what follows.
    FaltaSiguientePaso = 400 "falta_siguiente_paso" "falta el siguiente paso: proximo_fecha o cierre",
    /// Contacts with a sales platform's customers are not logged.
    ClienteDePlataforma = 422 "cliente_de_plataforma" "el cliente es de una plataforma de venta y aquí no se le da seguimiento",
    /// The customer has no e-mail, telephone or mobile.
    ClienteSinContacto = 422 "cliente_sin_contacto" "el cliente no tiene correo, telefono ni movil",
    /// The key's owner cannot be the author, and no other was named.
    VendedorRequerido = 422 "vendedor_requerido" "vendedor: hace falta, porque el dueño de la llave ya no es usuario activo de la empresa",
    /// No active salesperson has this key.
    VendedorInvalido = 422 "vendedor_invalido" "vendedor: no es un vendedor activo de la empresa",
    /// Another active product of the company has this SKU.
    SkuDuplicado = 409 "sku_duplicado" "sku: ya existe un producto activo con ese SKU",
    /// The company has no such category.
    CategoriaInvalida = 422 "categoria_invalida" "categoria: no es una categoría de la empresa",
    /// The company has no such active unit with a key of the SAT's catalogue.
    UnidadInvalida = 422 "unidad_invalida" "unidad: no es una unidad activa con clave del SAT",
    /// The product or service key is not in the SAT's catalogue.
    ClaveSatInvalida = 422 "clave_sat_invalida" "clave_sat: no está en el catálogo del SAT",
    /// The tax object key is not in the SAT's catalogue.
    ObjetoImpuestoInvalido = 422 "objeto_impuesto_invalido" "objeto_impuesto: no está en el catálogo del SAT",
    /// No IVA has this key.
    IvaInvalido = 422 "iva_invalido" "el IVA debe ser 16, 8, 0 o EX",
    /// The border rate of IVA is not for this product or company, or the SAT's catalogue has no
    /// such rate of another tax.
    ImpuestoIncompatible = 422 "impuesto_incompatible" "la tasa no corresponde al producto o a la empresa, o no está en el catálogo del SAT",
    /// No customer of the company has this key.
    ClienteInvalido = 422 "cliente_invalido" "cliente: no es un cliente de la empresa",
    /// No product that can be sold has this key or SKU.
    ProductoInvalido = 422 "producto_invalido" "no es un producto activo de la empresa",
    /// Several products have this SKU.
    SkuAmbiguo = 422 "sku_ambiguo" "varios productos tienen ese SKU; use producto",
    /// Neither the sale nor a price list gives a price.
    SinPrecio = 422 "sin_precio" "el producto no tiene precio en la lista del cliente ni en la de la empresa; envíe precio_unitario",
    /// No active warehouse has this code.
    AlmacenInvalido = 422 "almacen_invalido" "almacen: no es un almacén activo de la empresa",
    /// The payment form is not in the SAT's catalogue.
    FormaPagoInvalida = 422 "forma_pago_invalida" "forma_pago_sat: no está en el catálogo del SAT",
    /// The payment method is not in the SAT's catalogue.
    MetodoPagoInvalido = 422 "metodo_pago_invalido" "metodo_pago_sat: debe ser PUE o PPD",
    /// The currency is not one that a sale can be made in.
    MonedaInvalida = 422 "moneda_invalida" "moneda: no está en el catálogo del SAT",
    /// The sale was not created with POST /ventas.
    VentaNoApi = 422 "venta_no_api" "la venta no se creó con POST /ventas",
    /// The sale is cancelled.
    VentaCancelada = 422 "venta_cancelada" "la venta está cancelada",
    /// The application has invoiced the sale.
    VentaYaFacturada = 422 "venta_ya_facturada" "la venta ya se facturó en la aplicación",
    /// The sale is neither an order nor a quote.
    VentaNoFacturable = 422 "venta_no_facturable" "solo se facturan pedidos y cotizaciones",
    /// Goods of the order have been handed over.
    PedidoConSurtido = 422 "pedido_con_surtido" "el pedido ya tiene surtido",
    /// The branch is not the sale's.
    SucursalNoCoincide = 422 "sucursal_no_coincide" "sucursal: no es la de la venta",
    /// The application is invoicing the sale at this moment.
    VentaEnProceso = 503 "venta_en_proceso" "la venta se está facturando en otro lugar; reintente",
    /// The sale has another value already.
    DatoYaCapturado = 422 "dato_ya_capturado" "la venta ya tiene otro valor de ese dato",
    /// The company's plan has no invoicing.
    PlanSinFacturacion = 422 "plan_sin_facturacion" "el plan de la empresa no incluye facturación",
    /// No signing certificate is loaded, or it is not valid now.
    CertificadoInvalido = 422 "certificado_invalido" "la empresa no tiene un certificado de sello digital vigente",
    /// The customer has no valid RFC.
    ClienteSinRfc = 422 "cliente_sin_rfc" "el cliente no tiene un RFC válido",
    /// The customer has no tax regime.
    ClienteSinRegimen = 422 "cliente_sin_regimen" "el cliente no tiene régimen fiscal",
    /// The customer has no fiscal postal code.
    ClienteSinCp = 422 "cliente_sin_cp" "el cliente no tiene código postal fiscal",
    /// Neither the request, the sale nor the customer has a CFDI use.
    ClienteSinUsoCfdi = 422 "cliente_sin_uso_cfdi" "ni la venta ni el cliente tienen uso de CFDI",
    /// The sale has no payment condition.
    VentaSinCondicionPago = 422 "venta_sin_condicion_pago" "la venta no tiene condición de pago",
    /// The sale has no payment method.
    VentaSinMetodoPago = 422 "venta_sin_metodo_pago" "la venta no tiene método de pago; envíe metodo_pago_sat",
    /// The sale has no payment form.
    VentaSinFormaPago = 422 "venta_sin_forma_pago" "la venta no tiene forma de pago; envíe forma_pago_sat",
    /// The payment form does not go with the payment method.
    FormaPagoIncompatible = 422 "forma_pago_incompatible" "forma_pago_sat: PPD lleva 99 y PUE no la admite",
    /// No tax document can be made of the sale.
    DocumentoInvalido = 422 "documento_invalido" "no se puede hacer el comprobante de la venta",
    /// The customer's credit does not reach.
    CreditoInsuficiente = 422 "credito_insuficiente" "el crédito disponible del cliente no alcanza",
    /// The customer has overdue receivables.
    SaldoVencido = 422 "saldo_vencido" "el cliente tiene saldo vencido",
    /// The advance is less than the company's minimum.
    AnticipoInsuficiente = 422 "anticipo_insuficiente" "el anticipo no llega al mínimo de la empresa",
    /// The company refuses to sell what its stock does not have.
    ExistenciaInsuficiente = 422 "existencia_insuficiente" "la existencia no alcanza y la empresa no vende sin existencia",
    /// The customer has not that much of an advance, or in their favour.
    SaldoInsuficiente = 422 "saldo_insuficiente" "importe: es mayor que lo que el cliente tiene en anticipos o a su favor",
    /// The payment is more than what is owed.
    ImporteExcedeSaldo = 422 "importe_excede_saldo" "importe: es mayor que el saldo",
    /// Nothing is owed.
    CxcSinSaldo = 422 "cxc_sin_saldo" "la cuenta por cobrar no tiene saldo",
    /// The receivable is cancelled.
    CxcCancelada = 422 "cxc_cancelada" "la cuenta por cobrar está cancelada",
    /// No active bank account of the company has this key.
    CuentaBancariaInvalida = 422 "cuenta_bancaria_invalida" "cuenta_bancaria: no es una cuenta activa de la empresa",
    /// The bank account has another currency.
    MonedaDistinta = 422 "moneda_distinta" "cuenta_bancaria: su moneda no es la de la cuenta por cobrar",
    /// The payment is earlier than the invoice.
    FechaAnteriorFactura = 422 "fecha_anterior_factura" "fecha: es anterior a la factura",
    /// The sale has no breakdown of taxes.
    VentaSinDesglose = 422 "venta_sin_desglose" "la venta no tiene desglose de impuestos; se cobra en la aplicación",
    /// The invoice has no payment method.
    MetodoPagoFaltante = 422 "metodo_pago_faltante" "la factura no tiene método de pago capturado",
    /// The same payment was applied already.
    PagoRepetido = 409 "pago_repetido" "ya se aplicó un pago con esa cuenta, fecha, importe y referencia",
    /// A deposit with those data waits to be applied.
    DepositoSinAplicar = 409 "deposito_sin_aplicar" "la cuenta ya tiene un depósito sin aplicar con esa fecha, importe y referencia",
    /// No address that notices may be sent to.
    UrlInvalida = 400 "url_invalida" "url: no es una dirección a la que se puedan enviar avisos",
    /// No event, one that cannot be subscribed to, or one twice.
    EventoNoValido = 400 "evento_no_valido" "eventos: debe nombrar uno o más eventos del catálogo, sin repetir",
    /// The company has as many webhooks as it may have.
    LimiteWebhooks = 422 "limite_webhooks" "la empresa ya tiene el máximo de webhooks",
    /// The webhook is paused or disabled.
    WebhookInactivo = 422 "webhook_inactivo" "el webhook no está activo",
    /// The delivery has not ended.
    EntregaPendiente = 409 "entrega_pendiente" "la entrega sigue pendiente",
    /// The back office requested a step that the record's state does not allow (never on the wire
    /// of the API).
    EstadoInvalido = 422 "estado_invalido" "el estado del registro no permite esta acción",
    /// The back office named something the company does not have (never on the wire of the API).
    ReferenciaInvalida = 422 "referencia_invalida" "una referencia no existe en la empresa",
    /// The back office brought a certificate or key that cannot be taken (never on the wire of the
    /// API).
    CertificadoRechazado = 422 "certificado_rechazado" "el certificado no se puede usar",
    /// The store cannot be reached, or transactions kept colliding.
    NoDisponible = 503 "no_disponible" "el servicio no está disponible por el momento; reintente",
    /// A failure of the service.
    ErrorInterno = 500 "error_interno" "error del servicio; reintente y reporte el valor de peticion",
}
