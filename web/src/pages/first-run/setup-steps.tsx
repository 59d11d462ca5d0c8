import { Anchor, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Creation } from '../../components/creation/creation.ts'
import { useDesk } from '../../components/creation/use-desk.ts'
import { Redirect } from '../../components/redirect.tsx'
import { ErrorMessage, LoadingPage } from '../../components/state-pages.tsx'
import { setupQuery, useReloadSetup } from '../../queries/setup.ts'
import { usePerson } from '../../session.tsx'
import { ControllerStep } from './controller-step.tsx'
import { FirstRunFrame } from './first-run-frame.tsx'
import { type SetupStep, setupSteps, shownStep } from './setup-state.ts'
import { SitesStep } from './sites-step.tsx'
import { SlipStep } from './slip-step.tsx'
import { VoucherStep } from './voucher-step.tsx'

/** The steps before these: token and administrator. */
const stepsBefore = 2

/** The steps after the administrator. The address has the step of this tab; the service says how far the setup is. */
export function SetupSteps({ steps }: { steps: string[] }) {
  const { data: state, error, refetch } = useQuery(setupQuery)
  const { step: wanted } = useSearch({ from: '/first-run' })
  const navigate = useNavigate({ from: '/first-run' })
  const { store, creation } = useFirstCreation(state?.guestInfo?.site_id)
  const reloadSetup = useReloadSetup()
  const isCreating = creation !== undefined && creation.status.kind !== 'none'
  const step = state && shownStep(state, { wanted, isCreating })
  useEffect(() => {
    if (step !== undefined && step !== wanted) void navigate({ search: { step }, replace: true })
  }, [step, wanted])
  if (!state && !error) return <LoadingPage />
  if (state && step === undefined) return <Redirect to={state.hasVoucher ? '/desk' : '/sites'} />
  const goTo = (next: SetupStep) => void navigate({ search: { step: next } })
  const isDone = step === 'voucher' && (creation?.status.kind === 'made' || Boolean(state?.firstVoucher))
  return (
    <FirstRunFrame
      step={stepsBefore + setupSteps.indexOf(step ?? 'controller')}
      steps={steps}
      foot={isDone ? undefined : <Foot canLeave={!isCreating} />}
    >
      {state ? (
        <>
          {step === 'controller' && (
            <ControllerStep
              controllers={state.controllers}
              onDone={async () => {
                await reloadSetup()
                goTo('sites')
              }}
              onNext={() => goTo('sites')}
            />
          )}
          {step === 'sites' && (
            <SitesStep
              key={state.controllers[0]?.id}
              state={state}
              onDone={() => goTo('slip')}
              onOtherController={() => goTo('controller')}
            />
          )}
          {step === 'slip' && <SlipStep state={state} onDone={() => goTo('voucher')} />}
          {step === 'voucher' && (
            <VoucherStep state={state} store={store} creation={creation} onSlip={() => goTo('slip')} />
          )}
        </>
      ) : (
        <ErrorMessage error={error} onRetry={() => void refetch()} />
      )}
    </FirstRunFrame>
  )
}

function Foot({ canLeave }: { canLeave: boolean }) {
  const { t } = useTranslation()
  const { email } = usePerson()
  return (
    <Stack gap={8} align="flex-start">
      <Text fz={13} style={{ overflowWrap: 'anywhere' }}>
        {t('setup.signed-in', { email })}
      </Text>
      {canLeave && <Text fz={13}>{t('setup.leave')}</Text>}
      <Anchor component={Link} to="/desk" fz={13}>
        {t('setup.to-desk-now')}
      </Anchor>
    </Stack>
  )
}

/**
 * The creation of the first voucher, by the store of the desk. A voucher that existed when the page was opened is not shown, and
 * one that was created since stays until the page is left.
 */
function useFirstCreation(siteId: number | undefined) {
  const { store, desk } = useDesk()
  const [creation, setCreation] = useState<Creation>()
  const all = desk.current ? [desk.current, ...desk.aside] : desk.aside
  const found = all.find(({ request }) => request.site_id === siteId)
  if (found && found !== creation && (creation || found.status.kind !== 'made')) setCreation(found)
  return { store, creation }
}
