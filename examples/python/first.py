"""The first calls: a list over all its pages, a write that is done once, an error by its code."""

from svc import SvcError, connect, do, records
from svc_client.api.clientes import create_customer, edit_customer, list_customers
from svc_client.models import CreateCustomer, EditCustomer

# Where the API is and whose key asks: SVC_BASE_URL, SVC_KEY_ID and SVC_API_KEY.
api = connect()

print(sum(1 for _ in records(api, list_customers)), "customers")

# Sent again where that is safe, with the same Idempotency-Key.
created = do(api, create_customer, body=CreateCustomer(nombre="Ferretería La Paz", cp="06700"))
print("customer", created.cliente)

try:
    do(api, edit_customer, 0, body=EditCustomer(nombre="Nadie"))
except SvcError as error:
    if error.codigo != "no_encontrado":
        raise
    print(error.mensaje)
