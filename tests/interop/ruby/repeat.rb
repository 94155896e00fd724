# Pushes BDC_CALLS records, one after another, with the client that openapi-generator generates.

$LOAD_PATH.unshift(File.join(__dir__, "generated", "lib"))
require "openapi_client"

OpenapiClient.configure do |config|
  config.host = ENV.fetch("BDC_SANDBOX").delete_prefix("http://")
  config.ignore_operation_servers = true
end

api = OpenapiClient::PushApi.new
ENV.fetch("BDC_CALLS").to_i.times do |number|
  record = OpenapiClient::IncomeRecord.new(
    id: "INV-#{number}",
    date: "2026-03-31",
    name: "Invoice #{number} of the month",
    category: "Sales: products",
    notes: "Paid by card, thank you",
    currency: "ZAR",
    feeid: "FEE-#{number}",
    productid: "P-#{number}",
    amount: 19.99,
    vat: 2.61
  )
  own = { apikey: "demo-apikey", appid: "demo-appid", uid: "demo-business" }
  api.push_income(OpenapiClient::PushIncomeRequest.new(**own, data: record))
end
