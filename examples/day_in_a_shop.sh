#!/usr/bin/env bash
# A day in a shop, on the command line and over the API: it opens, receives goods, sells for cash and
# on credit, is paid, counts its stock, and ends with a trial balance that adds up. It creates its own
# company in the database of the commands:
#
#     SVC_DATA_DIR=$(mktemp -d) PATH=target/debug:$PATH SVC_LISTEN=127.0.0.1:8080 examples/day_in_a_shop.sh
#
# Needs `svc` and curl. Reports its steps on stderr, and prints the trial balance.
set -euo pipefail

export SVC_LISTEN=${SVC_LISTEN:-127.0.0.1:8080}
api=http://$SVC_LISTEN/api/v1
today=$(TZ=America/Mexico_City date +%F)

say() { echo "— $*" >&2; }

# The value of a field in a line of JSON.
field() { sed -nE "s/.*\"$1\":\"?([^\",}]*)\"?.*/\1/p"; }

# Runs a back-office action of the company.
act() { svc do --company "$company" "$1" "$2"; }

# Sends a request with the key: method, path, body.
request() {
    curl --silent --show-error --fail-with-body --request "$1" "$api$2" \
        --header "Authorization: Bearer $key" --header "X-Svc-Key-Id: $key_id" ${3:+--header 'Content-Type: application/json' \
        --header "Idempotency-Key: $today-$RANDOM-$RANDOM" --data "$3"}
}

say "The shop opens: a company, its key, and a server that answers for it."
company=$(svc company create --name 'Ferretería La Tuerca' --rfc XIA190128J61 --regimen 601 --cp 06700 | field empresa)
made=$(svc key create --company "$company" --scopes all)
key=$(field api_key <<<"$made") key_id=$(field key_id <<<"$made")
svc serve --no-workers 2>/dev/null &
server=$!
trap 'kill $server; wait $server || true' EXIT
until curl --silent --fail "$api/health" >/dev/null; do kill -0 $server; sleep 0.2; done

say "Its records: a supplier, a bank account, goods, and two customers."
echo '{"nombre":"Aceros del Norte","rfc":"XAXX010101000"}' | svc import --company "$company" proveedores - >/dev/null
echo '{"nombre":"Cuenta de cheques","banco":"Uno"}' | svc import --company "$company" cuentas-bancarias - >/dev/null
request POST /productos '{"sku":"CLAVO","descripcion":"Clavo de 2 pulgadas","unidad":1,"costo":"40.00"}' >/dev/null
counter=$(act customer.create '{"nombre":"Público en general","rfc":"XAXX010101000"}' | field cliente)
builder=$(request POST /clientes '{"nombre":"Constructora Ríos","cp":"06700"}' | field cliente)
act customer.edit "{\"clave\":$builder,\"limite_credito\":\"5000.00\",\"dias_credito\":30}" >/dev/null

say "The accountant has other account numbers."
act account.edit '{"cuenta":"401.01","numero":"4000-001"}' >/dev/null

say "Fifty boxes arrive, with their bill: 2,000.00 and IVA."
order=$(act purchase.capture '{"proveedor":1,"renglones":[{"sku":"CLAVO","cantidad":50,"costo_unitario":"40.00"}]}' | field compra)
bill=$(act purchase.receive "{\"compra\":$order}" | field cxp)

say "Three boxes are sold for cash, which stays in the till."
cash=$(act sale.capture "{\"tipo\":\"venta\",\"cliente\":$counter,\"forma_pago_sat\":\"01\",
    \"renglones\":[{\"sku\":\"CLAVO\",\"cantidad\":3,\"precio_unitario\":\"75.00\"}]}" | field cxc)
act payment.apply "{\"cxc\":$cash,\"importe\":\"261.00\",\"forma_pago_sat\":\"01\",\"fecha\":\"$today\"}" >/dev/null

say "Ten are sold on credit; the builder transfers a part, which a bank's program reports."
credit=$(act sale.capture "{\"tipo\":\"venta\",\"cliente\":$builder,\"condicion_pago\":\"credito\",
    \"renglones\":[{\"sku\":\"CLAVO\",\"cantidad\":10,\"precio_unitario\":\"70.00\"}]}" | field cxc)
request POST "/cxc/$credit/pagos" "{\"importe\":\"500.00\",\"fecha\":\"$today\",\"forma_pago_sat\":\"03\",
    \"cuenta_bancaria\":1,\"referencia\":\"SPEI 8812\"}" >/dev/null

say "A web shop orders twenty, and takes eight of them with it."
sale=$(request POST /ventas "{\"tipo\":\"pedido\",\"cliente\":$builder,
    \"renglones\":[{\"sku\":\"CLAVO\",\"cantidad\":20,\"precio_unitario\":\"70.00\"}]}" | field venta)
act order.fulfil "{\"venta\":$sale,\"renglones\":[{\"renglon\":1,\"cantidad\":8}]}" >/dev/null

say "An unknown deposit arrives; the electricity and a quarter of the supplier's bill are paid."
act deposit.capture "{\"cuenta_bancaria\":1,\"fecha\":\"$today\",\"importe\":\"312.00\",\"referencia\":\"SPEI 9001\"}" >/dev/null
light=$(act payable.capture '{"total":"116.00","iva":"16.00","concepto":"Luz"}' | field cxp)
act payable.pay "{\"cxp\":$light,\"importe\":\"116.00\",\"fecha\":\"$today\",\"referencia\":\"Recibo\"}" >/dev/null
act payable.pay "{\"cxp\":$bill,\"importe\":\"580.00\",\"cuenta_bancaria\":1,\"fecha\":\"$today\",\"referencia\":\"SPEI 77\"}" >/dev/null

say "The deposit was the builder's: it pays the rest."
act payment.apply "{\"cxc\":$credit,\"importe\":\"312.00\",\"forma_pago_sat\":\"03\",\"fecha\":\"$today\",
    \"cuenta_bancaria\":1,\"referencia\":\"SPEI 9001\"}" >/dev/null

say "The shop closes and counts: one box is missing."
act stock.count '{"sku":"CLAVO","almacen":"001","existencia":28,"referencia":"Conteo del día"}' >/dev/null

balance=$(act ledger.balance "{\"desde\":\"$today\",\"hasta\":\"$today\"}")
sed 's/},/},\n/g' <<<"$balance"
[ "$(sed 's/.*"totales"//' <<<"$balance" | field saldo)" = 0.00 ] || { say "The books do not add up."; exit 1; }
say "The books add up."
