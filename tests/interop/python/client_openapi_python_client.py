"""Tests the client that openapi-python-client generates: a typed call, a rejected one, and then every valid vector."""

from importlib import import_module

from client_calls import HEADER_KEY, OPERATIONS, OWN, SANDBOX, call_all, inspect, last_refusal, request_type
from generated_openapi_python_client import AuthenticatedClient, models
from generated_openapi_python_client.api.push import push_income

# The generated client does not know the name of the header.
client = AuthenticatedClient(base_url=SANDBOX, token=HEADER_KEY, prefix="", auth_header_name="X-API-Key")

income = models.PushIncomeRequest(**OWN, data=models.IncomeRecord(id="INV-1001", currency="ZAR", amount=19.99))
reply = push_income.sync_detailed(client=client, body=income)
assert reply.status_code == 200, reply
print(reply.status_code, reply.content.decode(), inspect(f"businesses/{income.uid}/records"))

income.data.amount = "19.99"
reply = push_income.sync_detailed(client=client, body=income)
assert reply.status_code == 400, reply
print(reply.status_code, last_refusal())


def call(operation: str, body: dict) -> tuple[int, str]:
    module = import_module(f"generated_openapi_python_client.api.{OPERATIONS[operation]['tag']}.{operation}")
    request = getattr(models, request_type(operation)).from_dict(body)
    reply = module.sync_detailed(client=client, body=request)
    return reply.status_code, reply.content.decode()


print(call_all(call))
