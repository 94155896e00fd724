<?php
// Validates every vector in the folder BDC_OPENAPI against its schema, with justinrainbow/json-schema.

require "JsonSchema/autoload.php";

$folder = getenv("BDC_OPENAPI") . "/vectors";
$read = fn(string $file) => json_decode(file_get_contents("$folder/$file"), flags: JSON_THROW_ON_ERROR);

$wrong = [];
$index = $read("index.json");
$listed = [...array_column($index, "file"), "index.json", ".", ".."];
foreach (array_diff(scandir($folder), $listed) as $file) {
    $wrong[] = "vectors/$file: is not in vectors/index.json";
}
$count = 0;
foreach ($index as $entry) {
    $vectors = $read($entry->file);
    $valid = count(array_filter($vectors, fn($vector) => $vector->valid));
    if ([$valid, count($vectors) - $valid] !== [$entry->valid, $entry->invalid]) {
        $wrong[] = "vectors/$entry->file: vectors/index.json has other numbers of valid and invalid vectors";
    }
    $schema = $read($entry->schema);
    foreach ($vectors as $vector) {
        $count++;
        $validator = new JsonSchema\Validator();
        $validator->validate($vector->body, $schema);
        if ($validator->isValid() !== $vector->valid) {
            $expected = $vector->valid ? "valid" : "invalid";
            $messages = implode("; ", array_column($validator->getErrors(), "message"));
            $got = $validator->isValid() ? "valid" : "invalid ($messages)";
            $wrong[] = "json-schema: vectors/$entry->file: $vector->why: expected $expected, got $got";
        }
    }
}
if ($count === 0) {
    $wrong[] = "vectors/index.json: lists no vectors";
}
if ($wrong !== []) {
    fwrite(STDERR, implode("\n", $wrong) . "\n");
    exit(1);
}
echo "json-schema $count\n";
