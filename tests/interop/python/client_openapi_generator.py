"""Tests the client that openapi-generator generates: a typed call, a rejected one, and then every valid vector."""

import sys

import generated_openapi_generator
from client_calls import HEADER_KEY, OPERATIONS, OWN, SANDBOX, call_all, inspect, last_refusal, request_type
from generated_openapi_generator import (
    ApiClient,
    ApiException,
    Configuration,
    IncomeRecord,
    PushApi,
    PushIncomeRequest,
)

client = ApiClient(Configuration(host=SANDBOX, api_key={"headerKey": HEADER_KEY}))

income = PushIncomeRequest(**OWN, data=IncomeRecord(id="INV-1001", currency="ZAR", amount=19.99))
reply = PushApi(client).push_income_with_http_info(income)
print(reply.status_code, reply.raw_data.decode(), inspect(f"businesses/{income.uid}/records"))

# The generated types would reject a wrong type, so this uses an unknown business.
income.uid = "another-business"
try:
    PushApi(client).push_income(income)
    sys.exit("a push for an unknown business was accepted")
except ApiException as error:
    assert error.status == 400, error
    # The reply does not contain the reason, but the log of the sandbox does.
    print(error.status, last_refusal())


def call(operation: str, body: dict) -> tuple[int, str]:
    api = getattr(generated_openapi_generator, f"{OPERATIONS[operation]['tag'].title()}Api")(client)
    request = getattr(generated_openapi_generator, request_type(operation)).from_dict(body)
    try:
        reply = getattr(api, f"{operation}_with_http_info")(request)
        return reply.status_code, reply.raw_data.decode()
    except ApiException as error:
        return error.status, error.body


print(call_all(call))
