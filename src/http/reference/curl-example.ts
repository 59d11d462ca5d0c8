import { type Described, type Schema, schemaOf } from './described.ts'
import { sample } from './sample.ts'

/** Lines to paste into a shell that knows `$API` and `$KEY`: everything that is required, nothing else. */
export function curlExample(schemas: Record<string, Schema>, operation: Described): string {
  const { method, parameters, requestBody, operationId } = operation
  const body = requestBody && schemaOf(requestBody)
  const words = [
    `curl -H "Authorization: Bearer $KEY"`,
    ...(parameters.some(({ name }) => name === 'Idempotency-Key') ? [`-H 'Idempotency-Key: ${operationId}-1'`] : []),
    ...(method === (body ? 'POST' : 'GET') ? [] : [`-X ${method}`]), // what curl does by itself
    ...(body ? [`-d '${JSON.stringify(sample(schemas, body)).replaceAll("'", "'\\''")}'`] : []),
    `"$API${addressOf(schemas, operation)}"`,
  ]
  return words.join(words.length > 2 ? ' \\\n  ' : ' ')
}

function addressOf(schemas: Record<string, Schema>, { path, parameters }: Described): string {
  const samples = new Map(parameters.map(({ name, schema }) => [name, String(sample(schemas, schema))]))
  const filled = path.replace(/\{(\w+)\}/g, (_gap, name) => encodeURIComponent(samples.get(name) ?? ''))
  const asked = parameters.filter((parameter) => parameter.in === 'query' && parameter.required)
  const query = new URLSearchParams(Object.fromEntries(asked.map(({ name }) => [name, samples.get(name) ?? ''])))
  return query.size > 0 ? `${filled}?${query}` : filled
}
