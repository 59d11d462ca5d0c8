import type { DescribedApi } from './described.ts'
import { type Html, html } from './html.ts'

/** The statuses of failures that every operation has in the same words. */
export function commonFailures({ operations }: DescribedApi): string[] {
  const [first] = operations
  const failures = Object.entries(first?.responses ?? {}).filter(([status]) => Number(status) >= 400)
  return failures
    .filter(([status, { description }]) =>
      operations.every(({ responses }) => responses[status]?.description === description),
    )
    .map(([status]) => status)
}

export function errorSection({ operations }: DescribedApi, common: string[]): Html {
  const responses = operations[0]?.responses ?? {}
  return html`
<section id="errors">
<h2><a href="#errors">Errors</a></h2>
<p>A failure is a <a href="#Problem">Problem</a>. Programs read <code>error</code>; <code>message</code> is for people, German
or English by <code>Accept-Language</code>. Tell the operator the <code>request_id</code>, which every answer carries as
<code>X-Request-Id</code>. An unknown or repeated parameter is refused: a filter with a slip in its name would else answer too
much. These can happen with every operation:</p>
<ul class="answers">${common.map(
    (status) => html`
<li><b>${status}</b> ${responses[status]?.description}</li>`,
  )}
</ul>
</section>`
}
