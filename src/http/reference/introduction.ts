import { type Html, html } from './html.ts'

/** What holds for every operation. */
export function introduction(origin: string, createsSomething: boolean): Html {
  return html`
<section id="basics">
<h2><a href="#basics">Basics</a></h2>
<p>All paths are below <code>/api/v2</code>. The examples are for a shell that knows where that is and which key you have.
The operator makes keys; a key is shown once.</p>
<pre>API=${origin}/api/v2
KEY=vsk_…</pre>
<p>The same description for programs: <a href="/api/v2/openapi.json">/api/v2/openapi.json</a> (OpenAPI 3.1). Fields may be
added, none removed: ignore what you do not know.</p>
<dl>
<dt>Key</dt>
<dd>Goes into <code>Authorization: Bearer …</code> or <code>X-API-Key: …</code>. Its scope is <code>read</code> or
<code>write</code>, which includes reading. It may be limited to some sites: what a key may not see is answered 404, exactly
like what does not exist.</dd>
<dt>Ids</dt>
<dd>A site has a number. A voucher and a batch have the number of their site, a hyphen and a UUID. Everything else has a UUID.</dd>
<dt>Times</dt>
<dd>ISO 8601 in UTC. In a query write <code>Z</code>, or <code>%2B</code> for the plus of an offset.</dd>
<dt>Pages</dt>
<dd>Lists take <code>limit</code> and answer <code>next_cursor</code>: give it as <code>cursor</code>, with the same filters,
for the next page. It is null on the last one. What comes in meanwhile shifts nothing.</dd>
${createsSomething ? idempotency : undefined}
<dt>Rate limit</dt>
<dd><code>RateLimit-Policy</code> tells how many requests a key has in a window, <code>RateLimit</code> how many are left
(<code>r</code>) for how many seconds (<code>t</code>). With a 429, <code>Retry-After</code> says how long to wait.</dd>
<dt>Unchanged?</dt>
<dd>A read carries an <code>ETag</code>. With <code>If-None-Match</code> the answer is 304 while nothing changed.</dd>
</dl>
</section>`
}

const idempotency = html`<dt>Repeating</dt>
<dd>What makes something takes an <code>Idempotency-Key</code> of your choice. After a timeout repeat the request with the same
one: you get the first answer, and nothing is made twice. Such an answer carries <code>Idempotent-Replayed: true</code>.</dd>
`
