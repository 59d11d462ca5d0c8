import { nameOf, type Schema } from './described.ts'
import { type Html, html } from './html.ts'

/** `integer, 1 to 200, 50 by default` */
export function typeWords(schema: Schema): Html {
  const bounds = [range(schema.minimum, schema.maximum, ''), range(schema.minLength, schema.maxLength, ' characters')]
  const more = bounds.flatMap((words) => (words === undefined ? [] : html`, ${words}`))
  const pattern = schema.pattern === undefined ? undefined : html`, matching <code>${schema.pattern}</code>`
  const otherwise = schema.default === undefined ? undefined : html`, ${JSON.stringify(schema.default)} by default`
  return html`${kindOf(schema)}${more}${pattern}${otherwise}`
}

function kindOf(schema: Schema): Html {
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

function listWords({ minItems, maxItems }: Schema): string {
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
