import { type Static, Type } from 'typebox'
import { DomainError, type ErrorCode, type ErrorDetails } from '#domain/errors.ts'
import type { Language } from '../server/preferred-language.ts'
import { catalogue } from './catalogue.ts'

/** `allowed` of an error: what the field would accept. Only the facts that matter for the error are set. */
const allowedSchema = Type.Object(
  {
    minimum: Type.Optional(Type.Number()),
    maximum: Type.Optional(Type.Number()),
    min_length: Type.Optional(Type.Integer({ description: 'Characters.' })),
    max_length: Type.Optional(Type.Integer({ description: 'Characters.' })),
    max_bytes: Type.Optional(Type.Integer({ description: 'Bytes in UTF-8.' })),
    min_items: Type.Optional(Type.Integer()),
    max_items: Type.Optional(Type.Integer()),
    types: Type.Optional(Type.Array(Type.String(), { description: 'JSON types: integer, string, …' })),
    values: Type.Optional(Type.Array(Type.String(), { description: 'All accepted values.' })),
    fields: Type.Optional(Type.Array(Type.String(), { description: 'All accepted names of fields.' })),
    nearest: Type.Optional(Type.String({ description: 'The accepted name that is most like the one that was sent.' })),
    format: Type.Optional(Type.String({ description: 'A format of JSON Schema, such as date-time or uuid.' })),
    pattern: Type.Optional(Type.String({ description: 'A regular expression.' })),
    example: Type.Optional(Type.String()),
  },
  {
    title: 'Allowed',
    description: 'The values that would be accepted. Only the members that matter for the error are set.',
  },
)
export type Allowed = Static<typeof allowedSchema>

type Sentence = (field: string, allowed: Allowed) => string

/** Every code of `errors[].code` with its sentences. To add a code, add a line. */
const sentences = {
  required: { en: (f) => `${f} is required`, de: (f) => `${f} ist erforderlich` },
  unknown_field: {
    en: (f, { nearest }) => `There is no field ${f} here${nearest ? `. Did you mean ${nearest}?` : ''}`,
    de: (f, { nearest }) => `Das Feld ${f} gibt es hier nicht${nearest ? `. Ist ${nearest} gemeint?` : ''}`,
  },
  wrong_type: {
    en: (f, { types = [] }) => `${f} must be ${types.map((type) => typeWords.en[type] ?? type).join(' or ')}`,
    de: (f, { types = [] }) => `${f} muss ${types.map((type) => typeWords.de[type] ?? type).join(' oder ')} sein`,
  },
  repeated: { en: (f) => `${f} may be given only once`, de: (f) => `${f} darf nur einmal angegeben werden` },
  out_of_range: {
    en: (f, { minimum, maximum }) => `${f} must be ${rangeWords(minimum, maximum, 'en')}`,
    de: (f, { minimum, maximum }) => `${f} muss ${rangeWords(minimum, maximum, 'de')} sein`,
  },
  too_short: {
    en: (f, { min_length }) => `${f} must have at least ${min_length} character(s)`,
    de: (f, { min_length }) => `${f} muss mindestens ${min_length} Zeichen haben`,
  },
  too_long: {
    en: (f, { max_length }) => `${f} must have at most ${max_length} characters`,
    de: (f, { max_length }) => `${f} darf höchstens ${max_length} Zeichen haben`,
  },
  too_many_bytes: {
    en: (f, { max_bytes }) => `${f} must have 1 to ${max_bytes} bytes in UTF-8`,
    de: (f, { max_bytes }) => `${f} muss 1 bis ${max_bytes} Bytes in UTF-8 haben`,
  },
  too_few: {
    en: (f, { min_items }) => `${f} must have at least ${min_items} item(s)`,
    de: (f, { min_items }) => `${f} muss mindestens ${min_items} ${min_items === 1 ? 'Eintrag' : 'Einträge'} haben`,
  },
  too_many: {
    en: (f, { max_items }) => `${f} must have at most ${max_items} items`,
    de: (f, { max_items }) => `${f} darf höchstens ${max_items} Einträge haben`,
  },
  not_one_of: {
    en: (f, { values = [] }) => `${f} must be one of ${values.join(' | ')}`,
    de: (f, { values = [] }) => `${f} muss einer dieser Werte sein: ${values.join(' | ')}`,
  },
  bad_format: {
    en: (f, { format }) => `${f} has the wrong format${format ? ` (${format})` : ''}`,
    de: (f, { format }) => `${f} hat ein falsches Format${format ? ` (${format})` : ''}`,
  },
  unprintable: {
    en: (f) => `${f} contains characters that cannot be printed`,
    de: (f) => `${f} enthält nicht druckbare Zeichen`,
  },
  time_missing: {
    en: (f, { example }) => `${f} is a date without a time. Add a time and a time zone, such as ${example}`,
    de: (f, { example }) => `${f} ist ein Datum ohne Uhrzeit. Ergänzen Sie Uhrzeit und Zeitzone, z. B. ${example}`,
  },
  time_zone_missing: {
    en: (f, { example }) => `${f} has no time zone. Add Z or an offset, such as ${example}. In a query, write + as %2B`,
    de: (f, { example }) =>
      `${f} hat keine Zeitzone. Ergänzen Sie Z oder den Abstand zu UTC, z. B. ${example}. In der Adresse steht %2B für +`,
  },
  not_a_time: {
    en: (f, { example }) => `${f} must be a date with time and time zone, such as ${example}`,
    de: (f, { example }) => `${f} muss ein Datum mit Uhrzeit und Zeitzone sein, z. B. ${example}`,
  },
  time_zone_unknown: {
    en: (f, { example }) => `${f} is not a known time zone. Use a name such as ${example}`,
    de: (f, { example }) => `${f} ist keine bekannte Zeitzone. Richtig ist zum Beispiel ${example}`,
  },
  slip_code_missing: {
    en: (f) => `${f} must contain the line code`,
    de: (f) => `${f} muss die Zeile code enthalten`,
  },
  wifi_password_invalid: {
    en: (f) => `${f} must have 8 to 63 printable ASCII characters, or 64 hexadecimal digits`,
    de: (f) => `${f} muss 8 bis 63 druckbare ASCII-Zeichen oder 64 hexadezimale Ziffern haben`,
  },
  in_the_past: {
    en: (f) => `${f} must be at least one minute ahead`,
    de: (f) => `${f} muss mindestens eine Minute in der Zukunft liegen`,
  },
  before_valid_until: {
    en: (f) => `${f} must not be before valid_until`,
    de: (f) => `${f} darf nicht vor valid_until liegen`,
  },
  too_late: {
    en: (f, { example }) => `${f} must not be after ${example}`,
    de: (f, { example }) => `${f} darf nicht nach ${example} liegen`,
  },
  nothing_to_change: {
    en: (_, { fields = [] }) => `Send at least one of these fields: ${fields.join(', ')}`,
    de: (_, { fields = [] }) => `Senden Sie mindestens eines dieser Felder: ${fields.join(', ')}`,
  },
  not_together: {
    en: (f, { fields = [] }) => `${f} cannot be combined with the other fields. Send either ${fields.join(' or ')}`,
    de: (f, { fields = [] }) => `${f} passt nicht zu den anderen Feldern. Senden Sie entweder ${fields.join(' oder ')}`,
  },
  one_of_required: {
    en: (_, { fields = [] }) => `One of these fields is required: ${fields.join(', ')}`,
    de: (_, { fields = [] }) => `Eines dieser Felder ist erforderlich: ${fields.join(', ')}`,
  },
  password_common: {
    en: () => 'This password is easy to guess. For example, use four random words',
    de: () => 'Dieses Passwort ist leicht zu erraten. Nehmen Sie zum Beispiel vier zufällige Wörter',
  },
  not_usable: {
    en: (f) => `${f} does not exist or cannot be used here`,
    de: (f) => `${f} gibt es nicht, oder der Wert ist hier nicht verwendbar`,
  },
} satisfies Record<string, Record<Language, Sentence>>

export type FieldCode = keyof typeof sentences

/** A field of the body, the query or the headers with the reason why it was rejected. */
export type InvalidField = { field: string; code: FieldCode; allowed?: Allowed }

/** The error that rejects a request because of these fields. */
export function invalidRequest(...fields: InvalidField[]): DomainError {
  return new DomainError('invalid_request', { fields })
}

type Failure = { code: ErrorCode; details: ErrorDetails } & Partial<Pick<DomainError, 'fields' | 'more'>>

/** The fields that a failure is about; none if it is not about fields. An error of a row of a batch names the row. */
export function invalidFieldsOf({ fields = [], more = [], ...failure }: Failure): InvalidField[] {
  if (fields.length > 0) return fields as InvalidField[]
  return [failure, ...more].flatMap(({ code, details }) => {
    const { field = [] } = catalogue[code] as { field?: InvalidField | ((details: ErrorDetails) => InvalidField) }
    const invalid = typeof field === 'function' ? [field(details)] : [field].flat()
    return invalid.map((one) =>
      details['row'] === undefined ? one : { ...one, field: `rows[${details['row']}].${one.field}` },
    )
  })
}

const typeWords: Record<Language, Record<string, string>> = {
  en: {
    string: 'a string',
    integer: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
    object: 'an object',
    array: 'a list',
    null: 'null',
  },
  de: {
    string: 'ein Text',
    integer: 'eine ganze Zahl',
    number: 'eine Zahl',
    boolean: 'true oder false',
    object: 'ein Objekt',
    array: 'eine Liste',
    null: 'null',
  },
}

function rangeWords(minimum: number | undefined, maximum: number | undefined, language: Language): string {
  const words = { en: ['at least', 'at most', 'between', 'and'], de: ['mindestens', 'höchstens', 'zwischen', 'und'] }
  const [least, most, between, and] = words[language]
  if (maximum === undefined) return `${least} ${minimum}`
  return minimum === undefined ? `${most} ${maximum}` : `${between} ${minimum} ${and} ${maximum}`
}

export const invalidFieldSchema = Type.Object(
  {
    field: Type.String({
      description:
        'The name of the field, such as qos.down_kbps, names[3] or Idempotency-Key. It is body, query or request if no single field is the problem, and ? if the name has unusual characters.',
    }),
    code: Type.Unsafe<FieldCode>({ type: 'string', enum: Object.keys(sentences) }),
    message: Type.String({ minLength: 1 }),
    allowed: Type.Union([allowedSchema, Type.Null()]),
  },
  { title: 'InvalidField' },
)

/** `message` replaces the sentence of the code, if the failure has a more exact one. */
export function invalidFieldToWire(
  { field, code, allowed }: InvalidField,
  language: Language,
  message?: string,
): Static<typeof invalidFieldSchema> {
  const sentence = message ?? sentences[code][language](field, allowed ?? {})
  return { field, code, message: sentence, allowed: allowed ?? null }
}

/** One sentence for all errors: the message of the only one, or a list of the fields. */
export function summaryOf(errors: { field: string; message: string }[], language: Language): string {
  if (errors.length === 1) return errors[0]?.message as string
  const fields = [...new Set(errors.map(({ field }) => field))].join(', ')
  return language === 'de' ? `Diese Felder sind ungültig: ${fields}` : `These fields are invalid: ${fields}`
}
