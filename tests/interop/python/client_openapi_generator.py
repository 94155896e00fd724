"""The client that openapi-generator writes for Python: a typed call, a refusal, and then everything."""

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
answer = PushApi(client).push_income_with_http_info(income)
print(answer.status_code, answer.raw_data.decode(), inspect(f"businesses/{income.uid}/records"))

# A wrong type would be refused by the generated types already.
income.uid = "another-business"
try:
    PushApi(client).push_income(income)
    sys.exit("a push for a business that is not there was taken")
except ApiException as refused:
    assert refused.status == 400, refused
    # The answer need not say why: the sandbox does.
    print(refused.status, last_refusal())


def call(operation: str, body: dict) -> tuple[int, str]:
    api = getattr(generated_openapi_generator, f"{OPERATIONS[operation]['tag'].title()}Api")(client)
    request = getattr(generated_openapi_generator, request_type(operation)).from_dict(body)
    try:
        answer = getattr(api, f"{operation}_with_http_info")(request)
        return answer.status_code, answer.raw_data.decode()
    except ApiException as refused:
        return refused.status, refused.body


print(call_all(call))
