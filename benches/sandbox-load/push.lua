-- For wrk: pushes records of different ids.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
local number = 0
request = function()
  number = number + 1
  return wrk.format(nil, "/api/push/income", nil, '{"apikey":"demo-apikey","appid":"demo-appid","uid":"demo-business",'
    .. '"data":{"id":"' .. number .. '","date":"2026-03-31","name":"Invoice 1001","category":"Sales","notes":"Paid",'
    .. '"currency":"ZAR","amount":19.99,"vat":2.61}}')
end
