wrk.method = "POST"
wrk.headers["Authorization"] = os.getenv("TRYTON_SESSION")
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"id":1,"method":"model.party.party.create","params":[[{"name":"Ana"}],{}]}'
