// Pushes BDC_CALLS records, one after another, with openapi-fetch.
import createClient from "openapi-fetch";
import type { paths } from "./generated_openapi_typescript/schema.js";

const client = createClient<paths>({ baseUrl: process.env.BDC_SANDBOX! });
for (let number = 0; number < Number(process.env.BDC_CALLS); number++) {
  const data = {
    id: `INV-${number}`,
    date: "2026-03-31",
    name: `Invoice ${number} of the month`,
    category: "Sales: products",
    notes: "Paid by card, thank you",
    currency: "ZAR",
    feeid: `FEE-${number}`,
    productid: `P-${number}`,
    amount: 19.99,
    vat: 2.61,
  };
  const body = { apikey: "demo-apikey", appid: "demo-appid", uid: "demo-business", data };
  const { response } = await client.POST("/api/push/income", { body });
  if (response.status !== 200) throw new Error(`replied ${response.status}`);
}
