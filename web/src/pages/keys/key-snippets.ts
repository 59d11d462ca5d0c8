import type { KeyWithSecret } from '../../../../client/voucher-api.generated.ts'

export type Snippets = { curl: string; TypeScript: string }

/** Lines to try the key with. They work as they are, and one call shows what the scope allows. */
export function snippetsFor({ secret, scope, site_ids }: KeyWithSecret, origin: string, firstSite = 1): Snippets {
  const url = `${origin}/api/v2`
  const site = site_ids[0] ?? firstSite
  const path = scope === 'read' ? `/vouchers?site_id=${site}&limit=5` : '/webhooks'
  if (scope !== 'write')
    return {
      curl: `KEY='${secret}'
curl -sS "${url}${path}" \\
  -H "Authorization: Bearer $KEY"`,
      TypeScript: `const key = '${secret}'
const answer = await fetch('${url}${path}', {
  headers: { Authorization: \`Bearer \${key}\` },
})
console.log(await answer.json())`,
    }
  return {
    curl: `KEY='${secret}'
curl -sS "${url}/vouchers" \\
  -H "Authorization: Bearer $KEY" \\
  -H "Idempotency-Key: R-4711" \\
  -d '{"site_id": ${site}, "name": "Room 12", "max_uses": 2}'`,
    TypeScript: `const key = '${secret}'
const answer = await fetch('${url}/vouchers', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${key}\`,
    'Idempotency-Key': 'R-4711',
  },
  body: JSON.stringify({ site_id: ${site}, name: 'Room 12', max_uses: 2 }),
})
console.log(await answer.json())`,
  }
}
