wrk.path = "/api/v1/clientes?limite=30"
wrk.headers["Authorization"] = "Bearer " .. os.getenv("SVC_KEY")
wrk.headers["X-Svc-Key-Id"] = os.getenv("SVC_KEY_ID")
