"""Pushes BDC_CALLS records, one after another, with the client that openapi-python-client generates."""

import os

from generated_openapi_python_client import Client, models
from generated_openapi_python_client.api.push import push_income

client = Client(base_url=os.environ["BDC_SANDBOX"])
for number in range(int(os.environ["BDC_CALLS"])):
    record = models.IncomeRecord(
        id=f"INV-{number}",
        date="2026-03-31",
        name=f"Invoice {number} of the month",
        category="Sales: products",
        notes="Paid by card, thank you",
        currency="ZAR",
        feeid=f"FEE-{number}",
        productid=f"P-{number}",
        amount=19.99,
        vat=2.61,
    )
    body = models.PushIncomeRequest(apikey="demo-apikey", appid="demo-appid", uid="demo-business", data=record)
    assert push_income.sync_detailed(client=client, body=body).status_code == 200
