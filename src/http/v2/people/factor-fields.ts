import { Type } from 'typebox'
import type { InvalidField } from '../../errors/field-errors.ts'

/** Six digits of an authenticator app. People may type a blank in the middle. */
export const appCode = Type.String({
  maxLength: 20,
  pattern: '^ *[0-9]{3} *[0-9]{3} *$',
  description: 'The six digits that the authenticator app shows.',
  examples: ['482917'],
})

export const recoveryCode = Type.String({
  minLength: 1,
  maxLength: 40,
  description: 'A recovery code that was not used yet. Upper case, blanks and hyphens do not matter.',
  examples: ['4f7k-9qtm'],
})

export const recoveryCodes = Type.Array(Type.String({ examples: ['4f7k-9qtm'] }), {
  minItems: 10,
  maxItems: 10,
  description: 'Ten codes. Each works once, instead of a code of the app. They are shown only now.',
  examples: [[...'0123456789'].map((digit) => `4f7k-9qt${'mnpqrstvwx'[Number(digit)]}`)],
})

const base64url = (maxLength: number) =>
  Type.String({ maxLength, pattern: '^[A-Za-z0-9_-]+$', examples: ['dGVzdA'], description: 'Bytes in base64url.' })

const credentialFields = {
  id: base64url(2_000),
  rawId: base64url(2_000),
  type: Type.Literal('public-key'),
}

/** Browsers may add fields, such as the results of extensions. The service does not use them. */
const mayHaveMore = { additionalProperties: true }

/** What `navigator.credentials.get` returned, as JSON. */
export const passkeyAssertion = Type.Object(
  {
    ...credentialFields,
    response: Type.Object(
      { clientDataJSON: base64url(4_000), authenticatorData: base64url(4_000), signature: base64url(8_000) },
      mayHaveMore,
    ),
  },
  {
    ...mayHaveMore,
    title: 'PasskeyAssertion',
    description: 'The answer of the browser to the options (AuthenticationResponseJSON of WebAuthn).',
  },
)

/** What `navigator.credentials.create` returned, as JSON. */
export const passkeyAttestation = Type.Object(
  {
    ...credentialFields,
    response: Type.Object({ clientDataJSON: base64url(4_000), attestationObject: base64url(40_000) }, mayHaveMore),
  },
  {
    ...mayHaveMore,
    title: 'PasskeyAttestation',
    description: 'The answer of the browser to the options (RegistrationResponseJSON of WebAuthn).',
  },
)

/** Options for the browser. The service decides their content, so the document does not list it. */
export const passkeyOptions = Type.Object(
  { challenge: base64url(200) },
  {
    ...mayHaveMore,
    title: 'PasskeyOptions',
    description: 'Options of WebAuthn as JSON. Pass them to the browser as they are. They work once, for five minutes.',
  },
)

/** A rule: the body has exactly one of these fields. */
export function exactlyOneOf(...fields: string[]) {
  return (body: Record<string, unknown>): InvalidField[] => {
    const given = fields.filter((field) => body[field] !== undefined)
    if (given.length === 1) return []
    const code = given.length === 0 ? 'one_of_required' : 'not_together'
    return [{ field: given[1] ?? (fields[0] as string), code, allowed: { fields } }]
  }
}
