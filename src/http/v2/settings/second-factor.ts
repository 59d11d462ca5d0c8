import { type Static, Type } from 'typebox'
import { type Requester, roles } from '#domain/actor.ts'
import {
  hasOwnFactor,
  type RequiredFactors,
  readRequiredFactors,
  setRequiredRoles,
} from '#domain/people/required-factors.ts'
import { count } from '../kit/fields.ts'
import { operation, type V2Context } from '../kit/operation.ts'

const roleSchema = Type.Object(
  {
    required: Type.Boolean({ description: 'True if people with this role need a second factor.' }),
    people: { ...count, description: 'How many active people have this role.' },
    with_factor: { ...count, description: 'How many of them have a second factor.' },
    by_provider: {
      ...count,
      description:
        'How many of the others have no password and sign in with the provider. They need no second factor here.',
    },
    without_factor: Type.Array(Type.String(), {
      description:
        'The names of all others, at most 20. If a factor is required, they set one up after their next sign-in with a password.',
    }),
  },
  { title: 'SecondFactorOfRole' },
)

const settingsSchema = Type.Object(
  {
    roles: Type.Object({ desk: roleSchema, manager: roleSchema, admin: roleSchema }),
    own_factor: Type.Boolean({
      description:
        'True if you have a second factor, or signed in with the provider. Only then can you require one for your own role.',
    }),
  },
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
  handle: ({ db }, { actor, sessionId }) => readAnswer(db, actor, sessionId as string),
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
    return readAnswer(db, actor, sessionId as string)
  },
})

async function readAnswer(
  db: V2Context['db'],
  actor: Requester,
  sessionId: string,
): Promise<Static<typeof settingsSchema>> {
  const [factors, ownFactor] = await Promise.all([readRequiredFactors(db), hasOwnFactor(db, actor.id, sessionId)])
  const ofRole = ({ required, people, withFactor, byProvider, without }: RequiredFactors[keyof RequiredFactors]) => ({
    required,
    people,
    with_factor: withFactor,
    by_provider: byProvider,
    without_factor: without,
  })
  return {
    roles: { desk: ofRole(factors.desk), manager: ofRole(factors.manager), admin: ofRole(factors.admin) },
    own_factor: ownFactor,
  }
}
