import { mutationOptions, type QueryClient, queryOptions } from '@tanstack/react-query'
import type { NewPasskey, SecondFactor, SignInAgain } from '../../../client/voucher-api.generated.ts'
import { api } from '../api.ts'
import { askForPasskey, createPasskey, PasskeyError } from '../components/second-factor/passkey.ts'
import { reload, reloads } from './reloads.ts'
import { sessionQuery } from './session.ts'

/** Finishes the sign-in with a code. */
export const finishSignIn = mutationOptions({ mutationFn: (factor: SecondFactor) => api.checkSecondFactor(factor) })

/** Finishes the sign-in with a passkey. */
export const finishWithPasskey = mutationOptions({
  mutationFn: async () => {
    const passkey = await askForPasskey(await api.createSecondFactorOptions())
    return api.checkSecondFactor({ passkey })
  },
})

/** How the person can prove again who they are. Options for a passkey work once, so each attempt loads new ones. */
export const signInAgainQuery = queryOptions({
  queryKey: ['sign-in-again'],
  queryFn: () => api.createSignInAgainOptions(),
  gcTime: 0,
  staleTime: Number.POSITIVE_INFINITY,
})

export const signInAgain = mutationOptions({
  mutationKey: ['sign-in-again'],
  mutationFn: (proof: SignInAgain) => api.checkSignInAgain(proof),
})

export const signInAgainWithPasskey = mutationOptions({
  mutationFn: async () => {
    const { passkey_options: options } = await api.createSignInAgainOptions()
    if (options === null) throw new PasskeyError('the passkeys belong to another address')
    await api.checkSignInAgain({ passkey: await askForPasskey(options) })
  },
})

/** The second factors of the person who is signed in. */
export const mySecondFactorsQuery = queryOptions({
  queryKey: ['my-second-factors'],
  queryFn: () => api.getMySecondFactors(),
})

const changesFactors = reloads(mySecondFactorsQuery.queryKey)

/** The first factor of a person who must have one opens all other pages, so everything is loaded again. */
const addsFactor = {
  onSettled: async (_data: unknown, _error: unknown, _input: unknown, _before: unknown, { client }: Context) => {
    await reload(client, mySecondFactorsQuery.queryKey, sessionQuery.queryKey)
    await client.invalidateQueries({ predicate: ({ state }) => state.status === 'error' })
  },
}

type Context = { client: QueryClient }

export const startAuthenticatorApp = mutationOptions({ mutationFn: () => api.createAuthenticatorApp() })

export const checkAuthenticatorApp = mutationOptions({
  mutationFn: (code: string) => api.checkAuthenticatorApp({ code }),
})

export const turnOnAuthenticatorApp = mutationOptions({
  mutationFn: () => api.enableAuthenticatorApp(),
  ...addsFactor,
})

export const removeAuthenticatorApp = mutationOptions({
  mutationFn: () => api.deleteAuthenticatorApp(),
  ...changesFactors,
})

export const replaceRecoveryCodes = mutationOptions({
  mutationFn: () => api.createRecoveryCodes(),
  ...changesFactors,
})

export const addPasskey = mutationOptions({
  mutationFn: async ({ name }: Pick<NewPasskey, 'name'>) => {
    const response = await createPasskey(await api.createPasskeyOptions())
    return api.createPasskey({ name, response })
  },
  ...addsFactor,
})

export const renamePasskey = (id: string) =>
  mutationOptions({ mutationFn: (change: { name?: string }) => api.updatePasskey(id, change), ...changesFactors })

export const removePasskey = (id: string) =>
  mutationOptions({ mutationFn: () => api.deletePasskey(id), ...changesFactors })
