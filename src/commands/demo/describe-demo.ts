import type { DemoData, DemoSite } from './seed-demo.ts'

/** For the person who started it: lines ready to paste. */
export function describeDemo({ url, keys, sites }: DemoData & { url: string }): string {
  const [first, last] = [sites[0], sites.at(-1)] as [DemoSite, DemoSite]
  return `
The demo runs at ${url} with simulated controllers. Ctrl-C ends it and leaves nothing behind.

Create a voucher:
  curl -H 'X-API-Key: ${keys.write}' -d '{"site_id":${first.site},"name":"First guest"}' ${url}/api/vouchers.php

List the vouchers of the site:
  curl -H 'X-API-Key: ${keys.read}' '${url}/api/vouchers.php?site_id=${first.site}'

The sites, and the description of the API:
  curl -H 'X-API-Key: ${keys.read}' ${url}/api/sites.php
  curl ${url}/api/openapi.php

The reference of API v2, for a browser: ${url}/reference

Each site is on a controller of another kind, with a self-signed certificate that was pinned (for curl: -k):
${sites.map(describeSite).join('\n')}

What a controller holds, and trouble for the next creation on it (then create with "site_id":${last.site}):
  curl -k ${last.controller.simulator.url}/control/vouchers
  curl -k -d '{"on":"create","kind":"refuse"}' ${last.controller.simulator.url}/control/faults
More kinds of trouble are in simulator/README.md.

`
}

function describeSite({ site, name, controller }: DemoSite): string {
  return `  site ${site}, ${name}, at ${controller.simulator.url}: ${controller.about}`
}
