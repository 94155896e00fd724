<?php
// Pushes BDC_CALLS records, one after another, with the client that openapi-generator generates.

require "GuzzleHttp/autoload.php";
require "GuzzleHttp/Psr7/autoload.php";

spl_autoload_register(function (string $class): void {
    $file = __DIR__ . "/generated/lib/" . strtr(substr($class, strlen("OpenAPI\\Client\\")), "\\", "/") . ".php";
    if (str_starts_with($class, "OpenAPI\\Client\\") && is_file($file)) {
        require $file;
    }
});

use OpenAPI\Client\{Api\PushApi, Configuration, Model\IncomeRecord, Model\PushIncomeRequest};

$api = new PushApi(new GuzzleHttp\Client(), (new Configuration())->setHost(getenv("BDC_SANDBOX")));
for ($number = 0; $number < (int) getenv("BDC_CALLS"); $number++) {
    $record = new IncomeRecord([
        "id" => "INV-$number",
        "date" => "2026-03-31",
        "name" => "Invoice $number of the month",
        "category" => "Sales: products",
        "notes" => "Paid by card, thank you",
        "currency" => "ZAR",
        "feeid" => "FEE-$number",
        "productid" => "P-$number",
        "amount" => 19.99,
        "vat" => 2.61,
    ]);
    $own = ["apikey" => "demo-apikey", "appid" => "demo-appid", "uid" => "demo-business"];
    $api->pushIncome(new PushIncomeRequest([...$own, "data" => $record]));
}
