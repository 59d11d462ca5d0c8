import { readFileSync } from 'node:fs'
import type { Operation } from '../v2/kit/operation.ts'
import { type Described, type DescribedApi, describeApi } from './described-api.ts'
import { schemaFields } from './field-list.ts'
import { type Html, html, trustedMarkup } from './html.ts'
import { operationSection } from './operation-section.ts'

export const stylesheet = readFileSync(new URL('reference.css', import.meta.url), 'utf8')

/** The reference of API v2 for programmers: one page without scripts. `origin` is the address of the service. */
export function referencePage(operations: Operation[], origin: string): string {
  const api = describeApi(operations)
  const groups = groupOperations(api.operations)
  const common = commonFailures(api)
  const acceptsIdempotencyKeys = operations.some(({ acceptsIdempotencyKey }) => acceptsIdempotencyKey === true)
  const navigation = contents(groups, Object.keys(api.schemas))
  const sections = groups.map(
    ({ id, title, operations: members }) => html`
<section id="${id}">
<h2><a href="#${id}">${title}</a></h2>${members.map((operation) => operationSection(api, operation, common))}
</section>`,
  )
  const rest = html`${errorSection(api, common)}${sections}${objectSections(api)}`
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Voucher Service: API v2</title>
<style>${trustedMarkup(stylesheet)}</style>
</head>
<body>
<header><h1>Voucher Service: API v2</h1></header>
${navigation}
<main>${introduction(origin, acceptsIdempotencyKeys)}${rest}
</main>
</body>
</html>
`.markup
}

type Group = { id: string; title: string; operations: Described[] }

/** Groups operations by their tag. */
function groupOperations(operations: Described[]): Group[] {
  const groups = Map.groupBy(operations, ({ tags }) => tags[0] as string)
  return [...groups].map(([id, members]) => ({
    id,
    title: id.slice(0, 1).toUpperCase() + id.slice(1),
    operations: members,
  }))
}

function contents(groups: Group[], objects: string[]): Html {
  return html`<nav aria-label="Contents">
<ul>
<li><a href="#basics">Basics</a></li>
<li><a href="#errors">Errors</a></li>
${groups.map(groupItem)}<li><a href="#objects">Objects</a>
<ul>${objects.map(
    (name) => html`
<li><a href="#${name}">${name}</a></li>`,
  )}
</ul></li>
</ul>
</nav>`
}

function groupItem({ id, title, operations }: Group): Html {
  return html`<li><a href="#${id}">${title}</a>
<ul>${operations.map(
    ({ operationId, method, path }) => html`
<li><a href="#${operationId}"><b class="${method.toLowerCase()}">${method}</b> ${path}</a></li>`,
  )}
</ul></li>
`
}

/** Rules that hold for every operation. */
function introduction(origin: string, acceptsIdempotencyKeys: boolean): Html {
  return html`
<section id="basics">
<h2><a href="#basics">Basics</a></h2>
<p>All paths are below <code>/api/v2</code>. The examples use two shell variables: the address of the API, and your key. An
administrator creates keys. A key is shown only once.</p>
<pre>API=${origin}/api/v2
KEY=vsk_…</pre>
<p>Programs can read the same description at <a href="/api/v2/openapi.json">/api/v2/openapi.json</a> (OpenAPI 3.1). Fields may
be added, but none are removed: ignore unknown fields.</p>
<dl>
<dt>Key</dt>
<dd>Send it in <code>Authorization: Bearer …</code> or <code>X-API-Key: …</code>. Its scope is <code>read</code>,
<code>write</code> or <code>manage</code>; each scope includes those before it. A key may be limited to some sites. If a
key may not see something, the answer is 404, exactly as if it did not exist.</dd>
<dt>Ids</dt>
<dd>A site has a number. The id of a voucher or a batch is the number of its site, a hyphen and a UUID. All other ids are
UUIDs.</dd>
<dt>Times</dt>
<dd>Times are ISO 8601 in UTC. In a query, write <code>Z</code>, or write the plus sign of an offset as <code>%2B</code>.</dd>
<dt>Pages</dt>
<dd>Lists accept <code>limit</code>. The answer has a <code>next_cursor</code>, which is null on the last page. For the next
page, send it as <code>cursor</code> with the same filters. New entries do not shift the pages.</dd>
${acceptsIdempotencyKeys ? idempotency : undefined}
<dt>Rate limit</dt>
<dd><code>RateLimit-Policy</code> shows how many requests a key may send in a window. <code>RateLimit</code> shows how many are
left (<code>r</code>) and in how many seconds the window ends (<code>t</code>). A 429 has <code>Retry-After</code>, the
seconds to wait.</dd>
<dt>Caching</dt>
<dd>The answer to a <code>GET</code> has an <code>ETag</code>. Send it in <code>If-None-Match</code>: the answer is 304 while
nothing has changed.</dd>
</dl>
</section>`
}

const idempotency = html`<dt>Repeating</dt>
<dd>Operations that list <code>Idempotency-Key</code> under “In a header” accept a key that you choose. After a timeout, repeat
the request with the same key: nothing is created twice. You get the first result again, with the header
<code>Idempotent-Replayed: true</code>. Only a repeat that would create an API key gets 409 <code>key_created_before</code>.</dd>
`

/** Statuses of the failures that every operation documents with the same words. */
function commonFailures({ operations }: DescribedApi): string[] {
  const [first] = operations
  const failures = Object.entries(first?.responses ?? {}).filter(([status]) => Number(status) >= 400)
  return failures
    .filter(([status, { description }]) =>
      operations.every(({ responses }) => responses[status]?.description === description),
    )
    .map(([status]) => status)
}

function errorSection({ operations }: DescribedApi, common: string[]): Html {
  const responses = operations[0]?.responses ?? {}
  return html`
<section id="errors">
<h2><a href="#errors">Errors</a></h2>
<p>An error is a <a href="#Problem">Problem</a>. Programs should read <code>error</code>. <code>message</code> is for people, in
English, or in German if <code>Accept-Language</code> prefers it. If fields are invalid, <code>errors</code> lists every one of
them, with a <code>code</code> for programs and with what would be accepted. Tell the operator the <code>request_id</code>, which every
answer has in <code>X-Request-Id</code>. Unknown fields and unknown or repeated parameters are rejected, so a typo cannot
widen a filter. Every operation can fail with:</p>
<ul class="answers">${common.map(
    (status) => html`
<li><b>${status}</b> ${responses[status]?.description}</li>`,
  )}
</ul>
</section>`
}

function objectSections({ schemas }: DescribedApi): Html {
  return html`
<section id="objects">
<h2><a href="#objects">Objects</a></h2>${Object.entries(schemas).map(
    ([name, schema]) => html`
<section id="${name}">
<h3><a href="#${name}">${name}</a></h3>
${schemaFields(schemas, schema, 'answer')}
</section>`,
  )}
</section>`
}
