"""The client that openapi-python-client writes: a typed call, a refusal, and then everything."""

from importlib import import_module

from client_calls import HEADER_KEY, OPERATIONS, OWN, SANDBOX, call_all, inspect, last_refusal, request_type
from generated_openapi_python_client import AuthenticatedClient, models
from generated_openapi_python_client.api.push import push_income

# The generator knows that there is a key, and not its header.
client = AuthenticatedClient(base_url=SANDBOX, token=HEADER_KEY, prefix="", auth_header_name="X-API-Key")

income = models.PushIncomeRequest(**OWN, data=models.IncomeRecord(id="INV-1001", currency="ZAR", amount=19.99))
answer = push_income.sync_detailed(client=client, body=income)
assert answer.status_code == 200, answer
print(answer.status_code, answer.content.decode(), inspect(f"businesses/{income.uid}/records"))

income.data.amount = "19.99"
answer = push_income.sync_detailed(client=client, body=income)
assert answer.status_code == 400, answer
print(answer.status_code, last_refusal())


def call(operation: str, body: dict) -> tuple[int, str]:
    module = import_module(f"generated_openapi_python_client.api.{OPERATIONS[operation]['tag']}.{operation}")
    request = getattr(models, request_type(operation)).from_dict(body)
    answer = module.sync_detailed(client=client, body=request)
    return answer.status_code, answer.content.decode()


print(call_all(call))
