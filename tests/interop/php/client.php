<?php
// Tests the client that openapi-generator generates: every valid vector that it sends must arrive, whether it is sent as
// a model or as an object.

require "GuzzleHttp/autoload.php";
require "GuzzleHttp/Psr7/autoload.php";

spl_autoload_register(function (string $class): void {
    $file = __DIR__ . "/generated/lib/" . strtr(substr($class, strlen("OpenAPI\\Client\\")), "\\", "/") . ".php";
    if (str_starts_with($class, "OpenAPI\\Client\\") && is_file($file)) {
        require $file;
    }
});

use OpenAPI\Client\{ApiException, Configuration, ObjectSerializer};

$openapi = getenv("BDC_OPENAPI");
$sandbox = getenv("BDC_SANDBOX");
// The credentials and the business of the sandbox, which replace those of the vectors.
$own = ["apikey" => "demo-apikey", "appid" => "demo-appid", "uid" => "demo-business"];
$operations = json_decode(file_get_contents("$openapi/schemas/index.json"))->operations;
$configuration = (new Configuration())->setHost($sandbox)->setApiKey("X-API-Key", "demo-header-key");
$http = new GuzzleHttp\Client();

function sandbox(string $verb, string $address, string $body = ""): mixed
{
    global $http, $sandbox;
    $address = str_starts_with($address, "/") ? $sandbox . $address : $address;
    $headers = ["Content-Type" => "application/json", "X-API-Key" => "demo-header-key"];
    return json_decode($http->request($verb, $address, ["headers" => $headers, "body" => $body])->getBody());
}

function call(string $operation, object $entry, mixed $request, bool $model): int|string
{
    global $configuration, $http;
    $api = "OpenAPI\\Client\\Api\\" . ucfirst($entry->tag) . "Api";
    $type = "OpenAPI\\Client\\Model\\" . basename($entry->schema, ".schema.json");
    $method = lcfirst(str_replace("_", "", ucwords($operation, "_"))) . "WithHttpInfo";
    try {
        $request = $model ? ObjectSerializer::deserialize($request, "\\" . $type) : $request;
        return (new $api($http, $configuration))->$method($request)[1];
    } catch (ApiException $error) {
        return $error->getCode() . " " . $error->getResponseBody();
    }
}

// How many values did not arrive, or null if one arrived that differs. The sandbox hides secrets and unknown names.
function lost(mixed $arrived, mixed $meant): ?int
{
    if (is_object($meant) || is_array($meant)) {
        if (gettype($arrived) !== gettype($meant)) {
            return null;
        }
        [$arrived, $meant] = [(array) $arrived, (array) $meant];
        if (array_diff_key($arrived, $meant) !== []) {
            return null;
        }
        $count = 0;
        foreach ($meant as $name => $value) {
            $more = array_key_exists($name, $arrived) ? lost($arrived[$name], $value) : 1;
            if ($more === null) {
                return null;
            }
            $count += $more;
        }
        return $count;
    }
    if (is_string($arrived) && (str_ends_with($arrived, "[hidden]") || $arrived === $meant)) {
        return 0;
    }
    $numbers = (is_int($arrived) || is_float($arrived)) && (is_int($meant) || is_float($meant));
    return $arrived === $meant || $numbers && (float) $arrived === (float) $meant ? 0 : null;
}

$wrong = [];
$missing = ["model" => 0, "object" => 0];
$count = 0;
foreach ($operations as $operation => $entry) {
    foreach (json_decode(file_get_contents("$openapi/schemas/$entry->vectors")) as $vector) {
        if (!$vector->valid) {
            continue;
        }
        $count++;
        foreach ($own as $name => $value) {
            if (property_exists($vector->body, $name)) {
                $vector->body->$name = $value;
            }
        }
        foreach (array_keys($missing) as $form) {
            sandbox("POST", "/_sandbox/reset");
            if ($operation === "push_settlement_file") {
                $url = sandbox("POST", $operations->pull_storage_upload_url->path, json_encode($own))->url;
                sandbox("PUT", $url, "[]");
                $vector->body->data->url = $url;
            }
            $status = call($operation, $entry, $vector->body, $form === "model");
            $all = sandbox("GET", "/_sandbox/requests");
            $logged = end($all);
            $number = lost($logged->body, $vector->body);
            // A model has no place for a field that the document does not have.
            $unknown = $form === "model" && str_starts_with($vector->why, "an unknown field");
            if ($status !== 200 || $number === null || $number > 0 && !$unknown) {
                $arrived = json_encode([$logged->body, $logged->reasons]);
                $wrong[] = "$form: $entry->vectors: $vector->why: $status, arrived as $arrived";
            }
            $missing[$form] += $number ?? 0;
        }
    }
}
if ($wrong !== []) {
    fwrite(STDERR, implode("\n", $wrong) . "\n");
    exit(1);
}
$total = count((array) $operations);
$less = "models less {$missing['model']} unknown fields, objects less {$missing['object']}";
echo "$total of $total operations, $count bodies; $less\n";
