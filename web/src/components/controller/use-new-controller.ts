import { useMutation } from '@tanstack/react-query'
import { type RefObject, useRef, useState } from 'react'
import type { Controller } from '../../../../client/voucher-api.generated.ts'
import { createController } from '../../queries/controllers.ts'
import { isAddress, tidyAddress } from './controller-address.ts'
import { type ControllerFormState, type ControllerValues, toAccess, useControllerForm } from './controller-form.tsx'
import type { Remedies } from './remedies.tsx'
import { type ConnectionTestState, useConnectionTest } from './use-connection-test.ts'

type Options = {
  /** The name to record the controller under. */
  nameFor: (address: string) => string
  onAdded: (controller: Controller) => Promise<void>
}

type NewController = {
  form: ControllerFormState
  test: ConnectionTestState
  remedies: Remedies
  /** Whether the current values of the form have passed the test. */
  isWorking: boolean
  /** Whether the controller is being recorded, or tested with credentials. */
  isBusy: boolean
  /** Why the controller could not be recorded. */
  error: unknown
  /** The ref of the element with the test. On a phone it is below the form, so `submit` scrolls to it. */
  result: RefObject<HTMLDivElement | null>
  /** Tests the network alone, if the address is new. */
  testNetwork(): void
  /** Tests with everything that is in the form. */
  testAgain(): void
  /** Records the controller if it works with these values. Otherwise tests it. */
  submit(values: ControllerValues): void
}

/**
 * Tests a new controller and records it when everything works. The network is tested when the person leaves the address.
 * Credentials are sent only when the person asks for the test. Only values that passed the test are recorded.
 */
export function useNewController({ nameFor, onAdded }: Options): NewController {
  const form = useControllerForm()
  const test = useConnectionTest()
  /** The trusted certificate belongs to one address. */
  const [trusted, setTrusted] = useState<{ address: string; pin: string }>()
  const [lastTested, setLastTested] = useState('')
  const [isSigningIn, setIsSigningIn] = useState(false)
  const result = useRef<HTMLDivElement>(null)
  const pinFor = (address: string) => (trusted?.address === tidyAddress(address) ? trusted.pin : null)
  /** A result of another address or kind of access would mislead. */
  const isOfThese = lastTested.startsWith(placeOf(form.values))
  const isWorking = test.check?.ok === true && !test.isRunning && lastTested === fingerprintOf(form.values)
  const save = useMutation({ ...createController, onSuccess: onAdded })
  const record = (values: ControllerValues) => {
    const { driver = '', address = '', secret = '', ...others } = toAccess(values, pinFor(values.address))
    const { controller_site: site, ...rest } = others
    const newSite = site ? { name: siteName(test.check, site), controller_site: site } : undefined
    save.mutate({ name: nameFor(address), driver, address, secret, ...rest, site: newSite })
  }

  /** `withSecret` decides whether credentials are sent. */
  const run = (values: ControllerValues, pin: string | null, withSecret: boolean) => {
    setLastTested(fingerprintOf(values))
    setIsSigningIn(withSecret)
    save.reset()
    const { secret: _, username: __, controller_site: ___, ...network } = toAccess(values, pin)
    test.run(withSecret ? toAccess(values, pin) : network)
  }
  /** Takes the values of a remedy and tests with them. */
  const testWith = (changes: Partial<ControllerValues>, pin?: string) => {
    form.setValues(changes)
    const values = { ...form.values, ...changes }
    if (pin !== undefined) setTrusted({ address: tidyAddress(values.address), pin })
    run(values, pin ?? pinFor(values.address), values.secret !== '')
  }
  return {
    form,
    test: isOfThese ? test : { ...test, check: undefined, error: null },
    remedies: {
      trust: (pin) => testWith({}, pin),
      secret: { submit: (secret) => testWith({ secret }), isSaved: false },
      address: (address) => testWith({ address }),
      driver: (driver) => testWith({ driver, secret: '' }), // the other kind of access has another secret
    },
    isWorking,
    isBusy: save.isPending || (test.isRunning && isSigningIn),
    error: save.error,
    result,
    testNetwork: () => {
      const { address } = form.values
      if (isAddress(address) && !(test.check && isOfThese) && !test.isRunning) run(form.values, pinFor(address), false)
    },
    testAgain: () => testWith({}),
    submit: (values) => {
      if (isWorking) return record(values)
      run(values, pinFor(values.address), true)
      result.current?.scrollIntoView({ block: 'nearest' })
    },
  }
}

/** The name that the site has on the controller. */
function siteName(check: ConnectionTestState['check'], site: string): string {
  return check?.sites?.find(({ controller_site }) => controller_site === site)?.name || site
}

/** A result counts only for the values that were tested. */
function fingerprintOf(values: ControllerValues): string {
  return placeOf(values) + JSON.stringify([values.username, values.secret, values.controller_site])
}

function placeOf({ driver, address }: ControllerValues): string {
  return JSON.stringify([driver, tidyAddress(address)])
}
