local headers = {
    ["Authorization"] = "Bearer " .. os.getenv("SVC_KEY"),
    ["X-Svc-Key-Id"] = os.getenv("SVC_KEY_ID"),
    ["Content-Type"] = "application/json",
}
local run, count = os.time() .. "-" .. tostring({}):match("0x(%x+)"), 0

function request()
    count = count + 1
    headers["Idempotency-Key"] = run .. "-" .. count
    return wrk.format("POST", nil, headers, '{"nombre":"Ana"}')
end
