import { exampleOf } from '../v2/kit/examples.ts'
import type { JsonSchema } from '../v2/kit/json-schema.ts'
import { type Answer, type Described, type DescribedApi, schemaOf } from './described-api.ts'
import { parameterLists, schemaFields, typeWords } from './field-list.ts'
import { type Html, html } from './html.ts'

/**
 * Shows an operation with an example, its parameters and its answers. `common` are the failures listed once for all
 * operations.
 */
export function operationSection({ schemas }: DescribedApi, operation: Described, common: string[]): Html {
  const { method, path, operationId, summary, parameters, requestBody, responses } = operation
  const body = requestBody && schemaOf(requestBody)
  const files = fileTypes(requestBody)
  return html`
<section id="${operationId}">
<h3><a href="#${operationId}"><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code></a></h3>
<p>${summary}. <span class="scope">${accessOf(operation)}</span></p>
${operation.scope ? html`<pre>${curlExample(schemas, operation)}</pre>` : ''}${answerExample(operation)}
${parameterLists(parameters)}
${body && files.length === 0 ? html`<h4>In the body</h4>${schemaFields(schemas, body, 'body')}` : undefined}
${files.length > 0 ? html`<h4>In the body</h4><p>The file: ${files.map((type, i) => html`${i === 0 ? '' : ' or '}<code>${type}</code>`)}</p>` : undefined}
<h4>Answers</h4>
<ul class="answers">${Object.entries(responses)
    .filter(([status]) => !common.includes(status))
    .map(([status, answer]) => answerItem(schemas, status, answer))}
<li>${common.map((status) => html`<b>${status}</b> `)}<a href="#errors">as for every operation</a></li>
</ul>
</section>`
}

function answerItem(schemas: DescribedApi['schemas'], status: string, answer: Answer): Html {
  const schema = schemaOf(answer)
  const mediaType = Object.keys(answer.content ?? {}).join(' or ') || undefined
  const isNamed = schema?.$ref !== undefined
  const what = mediaType === 'application/json' && isNamed ? html`: ${typeWords(schema)}` : undefined
  const other =
    mediaType !== undefined && mediaType !== 'application/json' ? html`: <code>${mediaType}</code>` : undefined
  return html`
<li><b>${status}</b> ${answer.description}${what}${other}${headersOf(answer)}${schema?.properties ? schemaFields(schemas, schema, 'answer') : undefined}</li>`
}

/** Headers that many operations have. They are not listed with each answer. */
const commonHeaders = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'ETag', 'Content-Language', 'WWW-Authenticate']

function headersOf({ headers = {} }: Answer): Html | undefined {
  const own = Object.keys(headers).filter((name) => !commonHeaders.includes(name))
  if (own.length === 0) return undefined
  return html`. Headers: ${own.map((name, i) => html`${i === 0 ? '' : ', '}<code>${name}</code>`)}`
}

function answerExample({ responses }: Described): Html | undefined {
  const [answer] = Object.values(responses)
  const example = Object.values(answer?.content ?? {})[0]?.example
  if (example === undefined) return undefined
  const text = typeof example === 'string' ? example : JSON.stringify(example, null, 2)
  return html`
<details><summary>Example of an answer</summary><pre>${text}</pre></details>`
}

/**
 * A curl command with only the required parameters. It needs the shell variables `$API` and `$KEY`, so it is only for keys.
 */
function curlExample(schemas: Record<string, JsonSchema>, operation: Described): string {
  const { method, parameters, requestBody, operationId } = operation
  const [fileType] = fileTypes(requestBody)
  const body = fileType === undefined ? requestBody && schemaOf(requestBody) : undefined
  const words = [
    `curl -H "Authorization: Bearer $KEY"`,
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? [`-H 'Idempotency-Key: ${operationId}-1'`] : []),
    ...(method === (body ? 'POST' : 'GET') ? [] : [`-X ${method}`]), // curl's own default
    ...(body ? [`-d '${JSON.stringify(exampleOf(schemas, body, 'request')).replaceAll("'", "'\\''")}'`] : []),
    ...(fileType === undefined ? [] : [`-H 'Content-Type: ${fileType}'`, `--data-binary @${fileNameFor(fileType)}`]),
    `"$API${addressOf(schemas, operation)}"`,
  ]
  return words.join(words.length > 2 ? ' \\\n  ' : ' ')
}

/** The types of a body that is a file. */
function fileTypes(requestBody: Described['requestBody']): string[] {
  return Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) =>
    schema.format === 'binary' ? [type] : [],
  )
}

/** `logo.png` for `image/png`; the only tables that are sent are sites. */
function fileNameFor(type: string): string {
  return type === 'text/csv' ? 'sites.csv' : `logo.${type.split('/')[1]}`
}

function addressOf(schemas: Record<string, JsonSchema>, { path, parameters }: Described): string {
  const samples = new Map(parameters.map(({ name, schema }) => [name, String(exampleOf(schemas, schema, 'request'))]))
  const filled = path.replace(/\{(\w+)\}/g, (_placeholder, name) => encodeURIComponent(samples.get(name) ?? ''))
  const asked = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const query = new URLSearchParams(Object.fromEntries(asked.map(({ name }) => [name, samples.get(name) ?? ''])))
  return query.size > 0 ? `${filled}?${query}` : filled
}

/** The callers that an operation accepts: keys with a scope, people with a role, or anybody. */
function accessOf({ scope, role }: Described): Html {
  if (scope && role) return html`Key with scope <code>${scope}</code>, person with role <code>${role}</code>`
  if (scope) return html`Key with scope <code>${scope}</code>`
  return role ? html`Person with role <code>${role}</code>, no key` : html`Anybody`
}
