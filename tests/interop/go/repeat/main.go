// Pushes BDC_CALLS records, one after another, with the client that openapi-generator generates for Go.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"

	openapi "interop/generated"
)

func main() {
	calls, err := strconv.Atoi(os.Getenv("BDC_CALLS"))
	if err != nil {
		log.Fatal(err)
	}
	configuration := openapi.NewConfiguration()
	configuration.Servers = openapi.ServerConfigurations{{URL: os.Getenv("BDC_SANDBOX")}}
	client := openapi.NewAPIClient(configuration)
	for number := 0; number < calls; number++ {
		record := openapi.NewIncomeRecord()
		record.SetId(fmt.Sprintf("INV-%d", number))
		record.SetDate("2026-03-31")
		record.SetName(fmt.Sprintf("Invoice %d of the month", number))
		record.SetCategory("Sales: products")
		record.SetNotes("Paid by card, thank you")
		record.SetCurrency("ZAR")
		record.SetFeeid(fmt.Sprintf("FEE-%d", number))
		record.SetProductid(fmt.Sprintf("P-%d", number))
		record.SetAmount("19.99")
		record.SetVat("2.61")
		push := openapi.NewPushIncomeRequest("demo-apikey", "demo-appid", "demo-business", *record)
		if _, err := client.PushAPI.PushIncome(context.Background()).PushIncomeRequest(*push).Execute(); err != nil {
			log.Fatal(err)
		}
	}
}
