require "json"
require "webrick" # gem install webrick, or Debian's ruby-webrick

# A number with a fraction, with every digit that was sent. Calculate with `BigDecimal(amount.text)`.
Amount = Struct.new(:text) do
  def to_json(*) = text
end

$stdout.sync = true
server = WEBrick::HTTPServer.new(BindAddress: "127.0.0.1", Port: ARGV[0].to_i, AccessLog: [], Logger: WEBrick::Log.new(File::NULL))
server.mount_proc("/") do |request, reply|
  # Store `request.body` here: what was answered with 200 is not sent again.
  reply.status = 200
  response = JSON.parse(request.body, decimal_class: Amount)["response"]
  known = response.is_a?(Hash) ? response : {}
  state = known["error"] ? "failed" : known["hardrefreshing"] ? "interim" : "done"
  puts "#{request.path} #{state} #{JSON.generate(response)}"
end
server.start
