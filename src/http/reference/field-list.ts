import type { JsonSchema } from '../v2/kit/json-schema.ts'
import { nameOf, type Parameter } from './described-api.ts'
import { type Html, html } from './html.ts'

type Field = { name: string; schema: JsonSchema; description: string | undefined; mark: string | undefined }

const places = { path: 'In the path', query: 'In the query', header: 'In a header' }

export function parameterLists(parameters: Parameter[]): Html {
  const lists = Object.entries(places).map(([place, title]) => {
    const here = parameters.filter((parameter) => parameter.in === place)
    return here.length === 0 ? undefined : html`<h4>${title}</h4>${fieldList(here.map(toField))}`
  })
  return html`${lists}`
}

function toField({ name, required, description, schema }: Parameter): Field {
  return { name, schema, description, mark: required ? 'required' : undefined }
}

/** The fields of a schema. In a request body required fields are marked; in an answer, those that may be missing. */
export function schemaFields(schemas: Record<string, JsonSchema>, schema: JsonSchema, use: 'body' | 'answer'): Html {
  const shape = schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {})
  return fieldList(fieldsOf(shape, '', use))
}

/** Fields of nested objects without a name of their own are listed with their path: `qos.down_kbps`, `rows[].name`. */
function fieldsOf({ properties = {}, required = [] }: JsonSchema, before: string, use: 'body' | 'answer'): Field[] {
  return Object.entries(properties).flatMap(([property, schema]) => {
    const name = before + property
    const isRequired = required.includes(property)
    const mark = use === 'body' ? (isRequired ? 'required' : undefined) : isRequired ? undefined : 'may be missing'
    const inside = [...fieldsOf(schema, `${name}.`, use), ...fieldsOf(schema.items ?? {}, `${name}[].`, use)]
    return [{ name, schema, description: schema.description, mark }, ...inside]
  })
}

function fieldList(fields: Field[]): Html {
  return html`<dl>${fields.map(
    ({ name, schema, description, mark }) => html`
<dt><code>${name}</code>${mark === undefined ? undefined : html` <small>${mark}</small>`}</dt>
<dd><span class="type">${typeWords(schema)}</span>${description === undefined ? undefined : html`<br>${description}`}</dd>`,
  )}
</dl>`
}

/** The type of a field in words: `integer, 1 to 200, 50 by default`. */
export function typeWords(schema: JsonSchema): Html {
  const bounds = [range(schema.minimum, schema.maximum, ''), range(schema.minLength, schema.maxLength, ' characters')]
  const more = bounds.flatMap((words) => (words === undefined ? [] : html`, ${words}`))
  const pattern = schema.pattern === undefined ? undefined : html`, matching <code>${schema.pattern}</code>`
  const otherwise = schema.default === undefined ? undefined : html`, ${JSON.stringify(schema.default)} by default`
  return html`${kindOf(schema)}${more}${pattern}${otherwise}`
}

function kindOf(schema: JsonSchema): Html {
  const { $ref, anyOf, items, enum: values, const: value, format } = schema
  if ($ref !== undefined) return html`<a href="#${nameOf($ref)}">${nameOf($ref)}</a>`
  if (anyOf) return joined(anyOf.map(typeWords), ' or ')
  if (values) {
    const words = values.map((each) => html`<code>${String(each)}</code>`)
    return joined(words, ' | ')
  }
  if (value !== undefined) return html`<code>${String(value)}</code>`
  const [first = 'anything', ...others] = [schema.type ?? []].flat()
  if (first === 'array') return html`${listWords(schema)} of ${items ? typeWords(items) : 'anything'}`
  return html`${[format === undefined ? first : `${first} (${format})`, ...others].join(' or ')}`
}

function listWords({ minItems, maxItems }: JsonSchema): string {
  const size = range(minItems, maxItems, '')
  return size === undefined ? 'list' : `list (${size})`
}

function joined(parts: Html[], between: string): Html {
  return html`${parts.map((part, i) => (i === 0 ? part : html`${between}${part}`))}`
}

function range(min: number | undefined, max: number | undefined, unit: string): string | undefined {
  if (min === undefined && max === undefined) return undefined
  if (max === undefined) return `at least ${min}${unit}`
  return min === undefined ? `at most ${max}${unit}` : `${min} to ${max}${unit}`
}
