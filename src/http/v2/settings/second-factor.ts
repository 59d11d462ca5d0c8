import { type Static, Type } from 'typebox'
import { roles } from '#domain/actor.ts'
import { type RequiredFactors, readRequiredFactors, setRequiredRoles } from '#domain/people/required-factors.ts'
import { count } from '../kit/fields.ts'
import { operation } from '../kit/operation.ts'

const roleSchema = Type.Object(
  {
    required: Type.Boolean({ description: 'True if people with this role need a second factor.' }),
    people: { ...count, description: 'How many active people have this role.' },
    with_factor: { ...count, description: 'How many of them have a second factor.' },
    without_factor: Type.Array(Type.String(), {
      description: 'The names of the others, at most 20. They set up a factor at their next sign-in if it is required.',
    }),
  },
  { title: 'SecondFactorOfRole' },
)

const settingsSchema = Type.Object(
  { roles: Type.Object({ desk: roleSchema, manager: roleSchema, admin: roleSchema }) },
  { title: 'SecondFactorSettings' },
)

export const getSecondFactorSettings = operation({
  method: 'GET',
  path: '/settings/second-factor',
  operationId: 'getSecondFactorSettings',
  summary: 'Get which roles need a second factor, and how many people have one',
  role: 'admin',
  status: 200,
  answer: settingsSchema,
  handle: async ({ db }) => toWire(await readRequiredFactors(db)),
})

export const updateSecondFactorSettings = operation({
  method: 'PUT',
  path: '/settings/second-factor',
  operationId: 'updateSecondFactorSettings',
  summary: 'Choose which roles need a second factor. It takes effect at the next sign-in of each person',
  role: 'admin',
  recentSignIn: true,
  status: 200,
  conflict: 'You have no second factor yourself, and your own role would need one',
  body: Type.Object(
    {
      required: Type.Array(Type.Enum([...roles]), {
        maxItems: roles.length,
        description: 'The roles that need a second factor. The others do not.',
        examples: [['manager', 'admin']],
      }),
    },
    { additionalProperties: false, title: 'SecondFactorRoles' },
  ),
  answer: settingsSchema,
  async handle({ db }, { actor, sessionId, body: { required } }) {
    await setRequiredRoles(db, actor, { sessionId: sessionId as string, required })
    return toWire(await readRequiredFactors(db))
  },
})

function toWire(factors: RequiredFactors): Static<typeof settingsSchema> {
  const ofRole = ({ required, people, withFactor, without }: RequiredFactors[keyof RequiredFactors]) => ({
    required,
    people,
    with_factor: withFactor,
    without_factor: without,
  })
  return { roles: { desk: ofRole(factors.desk), manager: ofRole(factors.manager), admin: ofRole(factors.admin) } }
}
