//! The public errors, in one table: name, HTTP status, wire code and Spanish text.

/// An error of a host's own operations: a constant that its [`Spec`](crate::operation::Spec) lists
/// and that [`Code::Own`] refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OwnCode {
    status: u16,
    codigo: &'static str,
    mensaje: &'static str,
    meaning: &'static str,
}

impl OwnCode {
    /// An error with that status of 400 to 499, the wire code, the Spanish text of
    /// `error.mensaje`, and what it means in English for the description of the API.
    ///
    /// # Panics
    /// If the status is none of the client's errors.
    pub const fn new(status: u16, codigo: &'static str, mensaje: &'static str, meaning: &'static str) -> Self {
        assert!(status >= 400 && status < 500, "a failure of the service is no error of its own");
        Self { status, codigo, mensaje, meaning }
    }

    /// What it means, in English.
    pub const fn meaning(&self) -> &'static str {
        self.meaning
    }
}

/// Declares the errors, so that each is stated once for the enum, its list and its four tables.
macro_rules! codes {
    ($($variant:ident = $status:literal $codigo:literal $mensaje:literal,)*) => {
        /// The public errors (spec, "Errors"; contract §2 to §5): wire code, HTTP status and
        /// Spanish text.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Code {
            $(#[doc = concat!("`", $codigo, "` (", $status, "): ", $mensaje, ".")] $variant,)*
            /// An error of a host's own operations.
            Own(&'static OwnCode),
        }

        impl Code {
            /// Every code of Svc.
            pub const ALL: &'static [Code] = &[$(Code::$variant,)*];

            /// The status of answers with this code.
            pub const fn status(self) -> u16 {
                match self { $(Code::$variant => $status,)* Code::Own(own) => own.status }
            }

            /// The code on the wire, `error.codigo`.
            pub const fn codigo(self) -> &'static str {
                match self { $(Code::$variant => $codigo,)* Code::Own(own) => own.codigo }
            }

            /// The Spanish text of `error.mensaje`, unless the error has its own.
            pub const fn mensaje(self) -> &'static str {
                match self { $(Code::$variant => $mensaje,)* Code::Own(own) => own.mensaje }
            }
        }
    };
}

codes! {
    RutaNoExiste = 404 "ruta_no_existe" "la ruta no existe",
    MetodoNoPermitido = 405 "metodo_no_permitido" "el método no está permitido en esta ruta",
    NavegadorNoPermitido = 400 "navegador_no_permitido" "esta API no se llama desde un navegador",
    LlaveInvalida = 401 "llave_invalida" "la llave falta, no es válida, venció o fue revocada",
    ApiNoHabilitada = 404 "api_no_habilitada" "la empresa no tiene habilitada la API",
    LlaveSinTitular = 401 "llave_sin_titular" "el usuario dueño de la llave ya no tiene acceso a la empresa",
    PlanRequerido = 402 "plan_requerido" "la empresa no tiene un plan Pro vigente",
    TerminosPendientes = 403 "terminos_pendientes" "la llave no ha aceptado los términos vigentes de la API",
    LimiteExcedido = 429 "limite_excedido" "la llave agotó sus peticiones de este minuto; reintente después de Retry-After segundos",
    CupoAgotado = 429 "cupo_agotado" "la empresa agotó su cupo de operaciones del mes",
    Ocupado = 503 "ocupado" "la empresa tiene demasiadas peticiones en curso; reintente",
    SinPermiso = 403 "sin_permiso" "la llave no tiene el permiso de esta operación",
    TipoNoSoportado = 415 "tipo_no_soportado" "el cuerpo debe ser JSON con Content-Type application/json",
    CuerpoExcedido = 413 "cuerpo_excedido" "el cuerpo excede el tamaño máximo",
    IdempotenciaRequerida = 400 "idempotencia_requerida" "falta el encabezado Idempotency-Key",
    IdempotenciaInvalida = 400 "idempotencia_invalida" "Idempotency-Key debe tener de 1 a 255 caracteres ASCII visibles",
    IdempotenciaConflicto = 409 "idempotencia_conflicto" "esa Idempotency-Key ya se usó con otros datos",
    IdempotenciaEnCurso = 409 "idempotencia_en_curso" "otra petición con esa Idempotency-Key sigue en curso",
    FiltroNoPermitido = 400 "filtro_no_permitido" "no es un filtro de esta operación",
    FiltroVacio = 400 "filtro_vacio" "el filtro está vacío",
    FiltroInvalido = 400 "filtro_invalido" "el filtro no es válido",
    LimiteInvalido = 400 "limite_invalido" "limite no es válido",
    CursorInvalido = 400 "cursor_invalido" "cursor no es válido para esta consulta",
    FiltroRequerido = 400 "filtro_requerido" "falta un filtro obligatorio",
    RangoInvalido = 400 "rango_invalido" "el rango de fechas no es válido",
    BusquedaCorta = 400 "busqueda_corta" "la búsqueda necesita una palabra de al menos 3 caracteres",
    JsonInvalido = 400 "json_invalido" "el cuerpo no es un objeto JSON válido",
    CampoNoPermitido = 400 "campo_no_permitido" "no es un campo de esta operación",
    DatoRequerido = 400 "dato_requerido" "falta un dato obligatorio",
    DatoInvalido = 400 "dato_invalido" "un dato no es válido",
    NoEncontrado = 404 "no_encontrado" "el registro no existe en esta empresa",
    DocumentoNoDisponible = 409 "documento_no_disponible" "la factura no tiene un documento timbrado, o todavía no",
    RfcInvalido = 422 "rfc_invalido" "rfc: no tiene la estructura de un RFC",
    RfcDuplicado = 409 "rfc_duplicado" "rfc: ya existe un cliente con ese RFC",
    RegimenInvalido = 422 "regimen_invalido" "regimen: no está en el catálogo del SAT",
    RegimenIncompatible = 422 "regimen_incompatible" "regimen: no corresponde al tipo de persona del RFC",
    UsoCfdiInvalido = 422 "uso_cfdi_invalido" "uso_cfdi: no está en el catálogo del SAT",
    UsoCfdiIncompatible = 422 "uso_cfdi_incompatible" "uso_cfdi: no corresponde al régimen o al tipo de persona",
    CpInvalido = 422 "cp_invalido" "cp: no está en el catálogo de códigos postales",
    PaisInvalido = 422 "pais_invalido" "pais: no es una clave de país",
    EmpresaEnFranquicia = 422 "empresa_en_franquicia" "la empresa opera en franquicia y no puede usar esta operación todavía",
    FaltaSiguientePaso = 400 "falta_siguiente_paso" "falta el siguiente paso: proximo_fecha o cierre",
    ClienteDePlataforma = 422 "cliente_de_plataforma" "el cliente es de una plataforma de venta y aquí no se le da seguimiento",
    ClienteSinContacto = 422 "cliente_sin_contacto" "el cliente no tiene correo, telefono ni movil",
    VendedorRequerido = 422 "vendedor_requerido" "vendedor: hace falta, porque el dueño de la llave ya no es usuario activo de la empresa",
    VendedorInvalido = 422 "vendedor_invalido" "vendedor: no es un vendedor activo de la empresa",
    SkuDuplicado = 409 "sku_duplicado" "sku: ya existe un producto activo con ese SKU",
    CategoriaInvalida = 422 "categoria_invalida" "categoria: no es una categoría de la empresa",
    UnidadInvalida = 422 "unidad_invalida" "unidad: no es una unidad activa con clave del SAT",
    ClaveSatInvalida = 422 "clave_sat_invalida" "clave_sat: no está en el catálogo del SAT",
    ObjetoImpuestoInvalido = 422 "objeto_impuesto_invalido" "objeto_impuesto: no está en el catálogo del SAT",
    IvaInvalido = 422 "iva_invalido" "el IVA debe ser 16, 8, 0 o EX",
    ImpuestoIncompatible = 422 "impuesto_incompatible" "la tasa no corresponde al producto o a la empresa, o no está en el catálogo del SAT",
    ClienteInvalido = 422 "cliente_invalido" "cliente: no es un cliente de la empresa",
    ProductoInvalido = 422 "producto_invalido" "no es un producto activo de la empresa",
    SkuAmbiguo = 422 "sku_ambiguo" "varios productos tienen ese SKU; use producto",
    SinPrecio = 422 "sin_precio" "el producto no tiene precio en la lista del cliente ni en la de la empresa; envíe precio_unitario",
    AlmacenInvalido = 422 "almacen_invalido" "almacen: no es un almacén activo de la empresa",
    FormaPagoInvalida = 422 "forma_pago_invalida" "forma_pago_sat: no está en el catálogo del SAT",
    MetodoPagoInvalido = 422 "metodo_pago_invalido" "metodo_pago_sat: debe ser PUE o PPD",
    MonedaInvalida = 422 "moneda_invalida" "moneda: no está en el catálogo del SAT",
    VentaNoApi = 422 "venta_no_api" "la venta no se creó con POST /ventas",
    VentaCancelada = 422 "venta_cancelada" "la venta está cancelada",
    VentaYaFacturada = 422 "venta_ya_facturada" "la venta ya se facturó en la aplicación",
    VentaNoFacturable = 422 "venta_no_facturable" "solo se facturan pedidos y cotizaciones",
    PedidoConSurtido = 422 "pedido_con_surtido" "el pedido ya tiene surtido",
    SucursalNoCoincide = 422 "sucursal_no_coincide" "sucursal: no es la de la venta",
    VentaEnProceso = 503 "venta_en_proceso" "la venta se está facturando en otro lugar; reintente",
    DatoYaCapturado = 422 "dato_ya_capturado" "la venta ya tiene otro valor de ese dato",
    PlanSinFacturacion = 422 "plan_sin_facturacion" "el plan de la empresa no incluye facturación",
    CertificadoInvalido = 422 "certificado_invalido" "la empresa no tiene un certificado de sello digital vigente",
    ClienteSinRfc = 422 "cliente_sin_rfc" "el cliente no tiene un RFC válido",
    ClienteSinRegimen = 422 "cliente_sin_regimen" "el cliente no tiene régimen fiscal",
    ClienteSinCp = 422 "cliente_sin_cp" "el cliente no tiene código postal fiscal",
    ClienteSinUsoCfdi = 422 "cliente_sin_uso_cfdi" "ni la venta ni el cliente tienen uso de CFDI",
    VentaSinCondicionPago = 422 "venta_sin_condicion_pago" "la venta no tiene condición de pago",
    VentaSinMetodoPago = 422 "venta_sin_metodo_pago" "la venta no tiene método de pago; envíe metodo_pago_sat",
    VentaSinFormaPago = 422 "venta_sin_forma_pago" "la venta no tiene forma de pago; envíe forma_pago_sat",
    FormaPagoIncompatible = 422 "forma_pago_incompatible" "forma_pago_sat: PPD lleva 99 y PUE no la admite",
    DocumentoInvalido = 422 "documento_invalido" "no se puede hacer el comprobante de la venta",
    CreditoInsuficiente = 422 "credito_insuficiente" "el crédito disponible del cliente no alcanza",
    SaldoVencido = 422 "saldo_vencido" "el cliente tiene saldo vencido",
    AnticipoInsuficiente = 422 "anticipo_insuficiente" "el anticipo no llega al mínimo de la empresa",
    ExistenciaInsuficiente = 422 "existencia_insuficiente" "la existencia no alcanza y la empresa no vende sin existencia",
    SaldoInsuficiente = 422 "saldo_insuficiente" "importe: es mayor que lo que el cliente tiene en anticipos o a su favor",
    ImporteExcedeSaldo = 422 "importe_excede_saldo" "importe: es mayor que el saldo",
    CxcSinSaldo = 422 "cxc_sin_saldo" "la cuenta por cobrar no tiene saldo",
    CxcCancelada = 422 "cxc_cancelada" "la cuenta por cobrar está cancelada",
    CancelacionEnCurso = 422 "cancelacion_en_curso" "la cancelación de la factura se solicitó y aún no hay respuesta",
    CuentaBancariaInvalida = 422 "cuenta_bancaria_invalida" "cuenta_bancaria: no es una cuenta activa de la empresa",
    MonedaDistinta = 422 "moneda_distinta" "cuenta_bancaria: su moneda no es la de la cuenta por cobrar",
    FechaAnteriorFactura = 422 "fecha_anterior_factura" "fecha: es anterior a la factura",
    VentaSinDesglose = 422 "venta_sin_desglose" "la venta no tiene desglose de impuestos; se cobra en la aplicación",
    MetodoPagoFaltante = 422 "metodo_pago_faltante" "la factura no tiene método de pago capturado",
    PagoRepetido = 409 "pago_repetido" "ya se aplicó un pago con esa cuenta, fecha, importe y referencia",
    DepositoSinAplicar = 409 "deposito_sin_aplicar" "la cuenta ya tiene un depósito sin aplicar con esa fecha, importe y referencia",
    UrlInvalida = 400 "url_invalida" "url: no es una dirección a la que se puedan enviar avisos",
    EventoNoValido = 400 "evento_no_valido" "eventos: debe nombrar uno o más eventos del catálogo, sin repetir",
    LimiteWebhooks = 422 "limite_webhooks" "la empresa ya tiene el máximo de webhooks",
    WebhookInactivo = 422 "webhook_inactivo" "el webhook no está activo",
    DemasiadosEventos = 422 "demasiados_eventos" "desde: hay más de 10,000 eventos desde entonces",
    EntregaPendiente = 409 "entrega_pendiente" "la entrega sigue pendiente",
    // Errors of the back office's actions; the API itself answers only `periodo_cerrado` of them.
    UuidDuplicado = 409 "uuid_duplicado" "uuid: ya lo tiene otro documento de la empresa",
    LineaInvalida = 422 "linea_invalida" "una línea no se puede importar",
    EstadoInvalido = 422 "estado_invalido" "el estado del registro no permite esta acción",
    ReferenciaInvalida = 422 "referencia_invalida" "una referencia no existe en la empresa",
    AlmacenConExistencia = 422 "almacen_con_existencia" "estatus: el almacén tiene existencia o apartados",
    PeriodoCerrado = 422 "periodo_cerrado" "la fecha cae en un mes cuya contabilidad está cerrada",
    CertificadoRechazado = 422 "certificado_rechazado" "el certificado no se puede usar",
    NoDisponible = 503 "no_disponible" "el servicio no está disponible por el momento; reintente",
    ErrorInterno = 500 "error_interno" "error del servicio; reintente y reporte el valor de peticion",
}
