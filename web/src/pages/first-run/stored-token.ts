import { storedValue } from '../../stored-value.ts'

/** The setup token that the service accepted, until there is an administrator: a reload of this tab continues with it. */
export const storedToken = storedValue({
  storage: sessionStorage,
  key: 'vs.setup-token',
  version: 1,
  isValid: (value: unknown): value is string => typeof value === 'string',
})
