<?php
$body = file_get_contents("php://input");
// Store `$body` here: what was answered with 200 is not sent again.
http_response_code(200);
// Numbers as strings, so that every digit of an amount is kept: json_decode has no option for it.
$exact = preg_replace('/"(?:[^"\\\\]|\\\\.)*"(*SKIP)(*FAIL)|-?\d[\d.eE+-]*/', '"$0"', $body);
$response = json_decode($exact)->response ?? null;
$state = ($response->error ?? false) ? "failed" : (($response->hardrefreshing ?? false) ? "interim" : "done");
$shown = json_encode($response, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
file_put_contents("php://stdout", "{$_SERVER['REQUEST_URI']} $state $shown\n");
