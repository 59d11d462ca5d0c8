import { useTranslation } from 'react-i18next'
import type { CheckedLayer, ControllerCheck } from '../../../../client/voucher-api.generated.ts'
import { orValue } from '../../newer-values.ts'
import classes from './connection-test.module.css'
import { type Remedies, Remedy } from './remedies.tsx'
import { TestLine, TestPanel } from './test-panel.tsx'
import type { ConnectionTestState } from './use-connection-test.ts'

const layers = ['name', 'connection', 'certificate', 'sign_in', 'permission', 'site'] as const

/** Whether the test stopped at a certificate that the person can trust. */
export function needsTrust(check: ControllerCheck | undefined): boolean {
  return check?.certificate?.trust === 'untrusted'
}

type Props = {
  test: Pick<ConnectionTestState, 'check' | 'isRunning' | 'error'>
  /** Starts the test again. Without it there is no link for that. */
  onRun?: () => void
  remedies: Remedies
}

/** The layers of a connection to a controller. The layer that failed has its remedy inside. */
export function ConnectionTest({ test: { check, isRunning, error }, onRun, remedies }: Props) {
  const { t } = useTranslation()
  const current = isRunning ? nextLayer(check) : undefined
  return (
    <TestPanel
      title={t('connection-test.title')}
      isRunning={isRunning}
      hasRun={Boolean(check || error)}
      error={error}
      onRun={onRun}
      summary={<Summary check={check} isRunning={isRunning} />}
    >
      {layers.map((name) => (
        <Line
          key={name}
          name={name}
          layer={check?.layers.find(({ layer }) => layer === name)}
          check={check}
          isCurrent={name === current}
          remedies={isRunning ? {} : remedies}
        />
      ))}
    </TestPanel>
  )
}

/** The layer that is being tried: after a test of the network alone, the sign-in; otherwise the first one. */
function nextLayer(check: ControllerCheck | undefined): CheckedLayer['layer'] {
  const isNetworkDone = check?.layers.some(({ layer, cause }) => layer === 'sign_in' && cause === 'credentials_missing')
  return isNetworkDone ? 'sign_in' : 'name'
}

function Summary({ check, isRunning }: { check: ControllerCheck | undefined; isRunning: boolean }) {
  const { t } = useTranslation()
  if (isRunning) return t('connection-test.running')
  if (!check) return t('connection-test.not-run')
  if (check.ok) return t('connection-test.all-ok')
  const failed = check.layers.find(({ result }) => result === 'failed')
  if (needsTrust(check)) return t('connection-test.decide')
  if (failed)
    return t('connection-test.failed-at', { layer: t(`connection-test.${failed.layer}`, orValue(failed.layer)) })
  return t('connection-test.only-reads')
}

type LineProps = {
  name: CheckedLayer['layer']
  layer: CheckedLayer | undefined
  check: ControllerCheck | undefined
  isCurrent: boolean
  remedies: Remedies
}

function Line({ name, layer, check, isCurrent, remedies }: LineProps) {
  const { t } = useTranslation()
  const detail = useDetail(layer, check)
  return (
    <TestLine
      name={name}
      title={t(`connection-test.${name}`)}
      result={layer?.result ?? 'skipped'}
      isDecision={causesOfDecision.includes(layer?.cause ?? '')}
      isCurrent={isCurrent}
      durationMs={layer?.duration_ms}
      details={detail && <span className={classes.detail}>{detail}</span>}
      remedy={layer && check && layer.cause !== null && <Remedy layer={layer} check={check} remedies={remedies} />}
    />
  )
}

/** A certificate that the person can trust is not a failure yet: it waits for a decision. */
const causesOfDecision = [
  'certificate_self_signed',
  'certificate_expired',
  'certificate_for_other_name',
  'certificate_changed',
  'plain_http',
]

const shownSites = 5

/** The sentence of a line: its message, or what was found. */
function useDetail(layer: CheckedLayer | undefined, check: ControllerCheck | undefined): string | null {
  const { t } = useTranslation()
  if (!layer || !check) return null
  if (layer.message !== null) return layer.message
  if (layer.result === 'skipped') {
    const before = check.layers[check.layers.indexOf(layer) - 1]
    return before?.result === 'failed'
      ? t('connection-test.needs', { layer: t(`connection-test.${before.layer}`, orValue(before.layer)) })
      : null
  }
  const names = (check.sites ?? []).map(({ name }) => name)
  const listed = names.slice(0, shownSites).join(', ') + (names.length > shownSites ? ' …' : '')
  const host = hostOf(check.address)
  const isAddress = check.addresses.length === 1 && check.addresses[0] === host.replace(/^\[|\]$/g, '')
  const details: Record<CheckedLayer['layer'], () => string> = {
    name: () =>
      isAddress
        ? t('connection-test.is-address', { address: host })
        : t('connection-test.resolved', { host, addresses: check.addresses.join(', ') }),
    connection: () => t('connection-test.port-answers', { port: check.port }),
    certificate: () => t(check.certificate?.trust === 'pinned' ? 'connection-test.pinned' : 'connection-test.public'),
    sign_in: () =>
      check.version
        ? t('connection-test.signed-in-version', { version: check.version })
        : t('connection-test.signed-in'),
    permission: () => t('connection-test.rights-suffice'),
    site: () =>
      names.length > 0
        ? t('connection-test.sites-found', { count: names.length, names: listed })
        : t('connection-test.vouchers-readable'),
  }
  return details[layer.layer]()
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : address
}
