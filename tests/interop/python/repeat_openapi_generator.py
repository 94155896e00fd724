"""Pushes BDC_CALLS records, one after another, with the client that openapi-generator generates."""

import os

from generated_openapi_generator import ApiClient, Configuration, IncomeRecord, PushApi, PushIncomeRequest

api = PushApi(ApiClient(Configuration(host=os.environ["BDC_SANDBOX"])))
for number in range(int(os.environ["BDC_CALLS"])):
    record = IncomeRecord(
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
    api.push_income(PushIncomeRequest(apikey="demo-apikey", appid="demo-appid", uid="demo-business", data=record))
