import { nameOf, type Parameter, type Schema } from './described.ts'
import { type Html, html } from './html.ts'
import { typeWords } from './type-words.ts'

type Field = { name: string; schema: Schema; description: string | undefined; mark: string | undefined }

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

/** The fields of a body that is sent, or (`answer`) of one that comes back: there a field that may be missing is the exception. */
export function schemaFields(schemas: Record<string, Schema>, schema: Schema, use: 'body' | 'answer'): Html {
  const shape = schema.$ref === undefined ? schema : (schemas[nameOf(schema.$ref)] ?? {})
  return fieldList(fieldsOf(shape, '', use))
}

/** What is inside an unnamed object is told with it: `qos.down_kbps`, `rows[].name`. */
function fieldsOf({ properties = {}, required = [] }: Schema, before: string, use: 'body' | 'answer'): Field[] {
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
