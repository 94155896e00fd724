# Validates every vector in the folder BDC_OPENAPI against its schema, with each validator.

require "json"
require "json-schema"
require "json_schemer"

FOLDER = File.join(ENV.fetch("BDC_OPENAPI"), "vectors")

def read(file) = JSON.parse(File.read(File.join(FOLDER, file), encoding: "UTF-8"))

# Functions that convert a schema to a function, which returns what is wrong with a body.
VALIDATORS = {
  "json-schema" => ->(schema) { ->(body) { JSON::Validator.fully_validate(schema, body) } },
  "json_schemer" => lambda { |schema|
    validator = JSONSchemer.schema(schema)
    ->(body) { validator.validate(body).map { |error| error["data_pointer"] } }
  }
}.freeze

wrong = []
index = read("index.json")
(Dir.children(FOLDER) - index.map { |entry| entry["file"] } - ["index.json"]).each do |file|
  wrong << "vectors/#{file}: is not in vectors/index.json"
end
counts = Hash.new(0)
index.each do |entry|
  file = entry["file"]
  vectors = read(file)
  valid = vectors.count { |vector| vector["valid"] }
  unless [valid, vectors.size - valid] == entry.values_at("valid", "invalid")
    wrong << "vectors/#{file}: vectors/index.json has other numbers of valid and invalid vectors"
  end
  # Neither library knows the dialect that is declared, only earlier ones, in which the keywords mean the same.
  schema = read(entry["schema"]).reject { |name, _| name == "$schema" }
  VALIDATORS.each do |name, compiled|
    validate = compiled.call(schema)
    vectors.each do |vector|
      problems = validate.call(vector["body"])
      counts[name] += 1
      next if problems.empty? == vector["valid"]

      expected = vector["valid"] ? "valid" : "invalid"
      got = problems.empty? ? "valid" : "invalid (#{problems.join("; ")})"
      wrong << "#{name}: vectors/#{file}: #{vector["why"]}: expected #{expected}, got #{got}"
    end
  end
end
wrong << "vectors/index.json: lists no vectors" if counts.empty?
abort(wrong.join("\n")) unless wrong.empty?
puts counts.map { |name, count| "#{name} #{count}" }.join(", ")
