import { readFileSync } from 'node:fs'
import type { Operation } from '../v2/operation.ts'
import { commonFailures, errorSection } from './common-failures.ts'
import { contents, groupOperations } from './contents.ts'
import { type DescribedApi, describeApi } from './described.ts'
import { schemaFields } from './field-list.ts'
import { type Html, html, trustedMarkup } from './html.ts'
import { introduction } from './introduction.ts'
import { operationSection } from './operation-section.ts'

export const stylesheet = readFileSync(new URL('reference.css', import.meta.url), 'utf8')

/** API v2 for people who program against it: one page without scripts. Only the address of the service varies. */
export function referencePage(operations: Operation[]): (origin: string) => string {
  const api = describeApi(operations)
  const groups = groupOperations(api.operations)
  const common = commonFailures(api)
  const createsSomething = operations.some(({ creates }) => creates === true)
  const navigation = contents(groups, Object.keys(api.schemas))
  const sections = groups.map(
    ({ id, title, operations: members }) => html`
<section id="${id}">
<h2><a href="#${id}">${title}</a></h2>${members.map((operation) => operationSection(api, operation, common))}
</section>`,
  )
  const rest = html`${errorSection(api, common)}${sections}${objectSections(api)}`
  return (origin) =>
    html`<!doctype html>
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
<main>${introduction(origin, createsSomething)}${rest}
</main>
</body>
</html>
`.markup
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
