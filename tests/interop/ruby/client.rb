# Tests the client that openapi-generator generates: every valid vector that it sends must arrive, whether it is sent as a
# model or as a Hash.

$LOAD_PATH.unshift(File.join(__dir__, "generated", "lib"))
require "json"
require "net/http"
require "openapi_client"

OPENAPI = ENV.fetch("BDC_OPENAPI")
SANDBOX = URI(ENV.fetch("BDC_SANDBOX"))
# The credentials and the business of the sandbox, which replace those of the vectors.
OWN = { "apikey" => "demo-apikey", "appid" => "demo-appid", "uid" => "demo-business" }.freeze
OPERATIONS = JSON.parse(File.read(File.join(OPENAPI, "schemas/index.json")))["operations"]

OpenapiClient.configure do |config|
  config.host = "#{SANDBOX.host}:#{SANDBOX.port}"
  config.ignore_operation_servers = true
  config.api_key["X-API-Key"] = "demo-header-key"
end

# A number with a fraction, with every digit.
Amount = Struct.new(:text) do
  def to_json(*) = text
end

def http(verb, address, body = nil)
  uri = URI.join(SANDBOX, address)
  headers = { "Content-Type" => "application/json", "X-API-Key" => "demo-header-key" }
  request = Net::HTTP.const_get(verb).new(uri, headers)
  Net::HTTP.start(uri.host, uri.port) { |http| http.request(request, body) }.body
end

def call(operation, request)
  api = OpenapiClient.const_get("#{OPERATIONS[operation]["tag"].capitalize}Api").new
  type = OPERATIONS[operation]["schema"].delete_suffix(".schema.json")
  request = OpenapiClient.const_get(type).build_from_hash(request) if yield
  api.public_send("#{operation}_with_http_info", request)[1]
rescue OpenapiClient::ApiError => e
  "#{e.code} #{e.response_body}"
end

# How many values did not arrive, or nil if one arrived that differs. The sandbox hides secrets and unknown names.
def lost(arrived, meant)
  case meant
  when Hash
    return nil unless arrived.is_a?(Hash) && (arrived.keys - meant.keys).empty?
    meant.sum { |name, value| arrived.key?(name) ? (lost(arrived[name], value) or return nil) : 1 }
  when Array
    return nil unless arrived.is_a?(Array) && arrived.size == meant.size
    meant.each_with_index.sum { |value, at| lost(arrived[at], value) or return nil }
  when Numeric
    0 if arrived.is_a?(Numeric) && arrived.to_f == meant.to_f
  else
    0 if arrived == meant || arrived == "[hidden]" || (arrived.is_a?(String) && arrived.end_with?("?[hidden]"))
  end
end

wrong = []
missing = Hash.new(0)
count = 0
OPERATIONS.each do |operation, entry|
  text = File.read(File.join(OPENAPI, "schemas", entry["vectors"]), encoding: "UTF-8")
  JSON.parse(text).zip(JSON.parse(text, decimal_class: Amount)).each do |vector, exact|
    next unless vector["valid"]

    [vector, exact].each do |v|
      OWN.each { |name, value| v["body"][name] = value if v["body"].key?(name) }
    end
    count += 1
    { "model" => vector, "Hash" => exact }.each do |form, v|
      http(:Post, "/_sandbox/reset", "")
      if operation == "push_settlement_file"
        reply = http(:Post, OPERATIONS["pull_storage_upload_url"]["path"], OWN.to_json)
        uploaded = JSON.parse(reply)["url"]
        http(:Put, uploaded, "[]")
        v["body"]["data"]["url"] = uploaded
      end
      status = call(operation, v["body"]) { form == "model" }
      logged = JSON.parse(http(:Get, "/_sandbox/requests")).last
      number = lost(logged["body"], vector["body"])
      # A model has no place for a field that the document does not have.
      expected = number.to_i.zero? || (form == "model" && vector["why"].start_with?("an unknown field"))
      if status != 200 || number.nil? || !expected
        arrived = "arrived as #{logged["body"]} #{logged["reasons"]}"
        wrong << "#{form}: #{entry["vectors"]}: #{vector["why"]}: #{status}, #{arrived}"
      end
      missing[form] += number.to_i
    end
  end
end

# Every digit of an amount in a Hash arrives.
amount = "12345678901234567.10"
http(:Post, "/_sandbox/reset", "")
status = call("push_income", OWN.merge("data" => { "id" => "INV-1", "amount" => Amount.new(amount) })) { false }
records = http(:Get, "/_sandbox/businesses/#{OWN["uid"]}/records")
wrong << "#{amount}: #{status}, recorded as #{records}" unless status == 200 && records.include?(amount)

abort(wrong.join("\n")) unless wrong.empty?
less = "models less #{missing["model"]} unknown fields, Hashes less #{missing["Hash"]}"
puts "#{OPERATIONS.size} of #{OPERATIONS.size} operations, #{count} bodies; #{less}"
