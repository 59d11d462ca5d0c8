import { Anchor, Loader, Text } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconMinus, IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { CheckedLayer, ControllerCheck } from '../../../../client/voucher-api.generated.ts'
import { addTexts } from '../../i18n/i18n.ts'
import { entryFor, orValue } from '../../newer-values.ts'
import { Panel } from '../panel.tsx'
import { ErrorMessage } from '../state-pages.tsx'
import classes from './connection-test.module.css'
import de from './de.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import { type Remedies, Remedy } from './remedies.tsx'
import type { ConnectionTestState } from './use-connection-test.ts'

addTexts({ de, en })

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
    <Panel
      title={t('connection-test.title')}
      actions={
        onRun &&
        !isRunning &&
        Boolean(check || error) && (
          <Anchor component="button" type="button" fz={13.5} fw={500} onClick={onRun}>
            {t('connection-test.run-again')}
          </Anchor>
        )
      }
    >
      {error ? <ErrorMessage error={error} /> : null}
      <ol className={classes.lines} aria-busy={isRunning}>
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
      </ol>
      <Text fz={13} c="dimmed" role="status">
        <Summary check={check} isRunning={isRunning} />
      </Text>
    </Panel>
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
  const result = layer?.result ?? 'skipped'
  const detail = useDetail(layer, check)
  return (
    <li className={classes.line} data-layer={name} data-result={result}>
      <Mark layer={layer} isCurrent={isCurrent} />
      <span className={classes.title}>{t(`connection-test.${name}`)}</span>
      <span className={classes.time}>
        {layer?.duration_ms ? t('connection-test.milliseconds', { count: layer.duration_ms }) : null}
      </span>
      {detail && <span className={classes.detail}>{detail}</span>}
      {layer && check && layer.cause !== null && (
        <div className={classes.remedy}>
          <Remedy layer={layer} check={check} remedies={remedies} />
        </div>
      )}
    </li>
  )
}

const causesOfDecision = [
  'certificate_self_signed',
  'certificate_expired',
  'certificate_for_other_name',
  'certificate_changed',
  'plain_http',
]

/** A certificate that the person can trust is not a failure yet: it waits for a decision. */
function Mark({ layer, isCurrent }: { layer: CheckedLayer | undefined; isCurrent: boolean }) {
  const { t } = useTranslation()
  if (isCurrent)
    return (
      <span className={classes.mark} data-tone="none">
        <Loader size={14} aria-label={t('connection-test.running')} />
      </span>
    )
  const marks = {
    ok: { tone: 'ok', Icon: IconCheck, label: t('connection-test.ok') },
    warning: { tone: 'warn', Icon: IconAlertTriangle, label: t('connection-test.warning') },
    failed: { tone: 'bad', Icon: IconX, label: t('connection-test.failed') },
    skipped: { tone: 'none', Icon: IconMinus, label: t('connection-test.skipped') },
  }
  const needsDecision = causesOfDecision.includes(layer?.cause ?? '')
  const { tone, Icon, label } = entryFor(marks, needsDecision ? 'warning' : (layer?.result ?? 'skipped'), marks.skipped)
  return (
    <span className={classes.mark} data-tone={tone}>
      <Icon size={18} role="img" aria-label={label} />
    </span>
  )
}

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
