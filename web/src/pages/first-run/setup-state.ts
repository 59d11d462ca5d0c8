import type { SetupState } from '../../queries/setup.ts'

export const setupSteps = ['controller', 'sites', 'slip', 'voucher'] as const

export type SetupStep = (typeof setupSteps)[number]

/**
 * The first step that is not done; undefined when all are, or when no site is active. The step of the voucher stays open while the
 * first voucher is created, and while guests can use it.
 */
function openStep(state: SetupState, isCreating: boolean): SetupStep | undefined {
  const { controllers, sites, guestInfo, hasVoucher, firstVoucher } = state
  if (sites.length === 0) return controllers.length === 0 ? 'controller' : 'sites'
  if (!sites.some(({ active }) => active)) return undefined
  if (isCreating || firstVoucher) return 'voucher'
  if (hasVoucher) return undefined
  return guestInfo?.wifi_name ? 'voucher' : 'slip'
}

/** The step in the address of this tab, if the steps before it are done. Otherwise the open step. */
export function shownStep(
  state: SetupState,
  { wanted, isCreating }: { wanted: string | undefined; isCreating: boolean },
): SetupStep | undefined {
  const open = openStep(state, isCreating)
  const chosen = setupSteps.find((step) => step === wanted)
  if (open === undefined || chosen === undefined) return open
  const last = state.sites.length > 0 ? 'voucher' : open // the step of the slip can be skipped
  return setupSteps.indexOf(chosen) <= setupSteps.indexOf(last) ? chosen : open
}
