import type { DemoData } from './seed-demo.ts'

/** For the person who started it: lines ready to paste. */
export function describeDemo(demo: DemoData & { url: string; controller: string }): string {
  const { url, keys, sites, controller } = demo
  return `
The demo runs at ${url} with a simulated controller. Ctrl-C ends it and leaves nothing behind.

Create a voucher:
  curl -H 'X-API-Key: ${keys.write}' -d '{"site_id":${sites[0]},"name":"First guest"}' ${url}/api/vouchers.php

List the vouchers of the site:
  curl -H 'X-API-Key: ${keys.read}' '${url}/api/vouchers.php?site_id=${sites[0]}'

The sites, and the description of the API:
  curl -H 'X-API-Key: ${keys.read}' ${url}/api/sites.php
  curl ${url}/api/openapi.php

What the controller holds, and what happens when it is in trouble (then create again):
  curl ${controller}/control/vouchers
  curl -d '{"on":"create","kind":"refuse"}' ${controller}/control/faults

`
}
