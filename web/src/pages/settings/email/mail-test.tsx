import { Button, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CheckedMailLine, MailServerTest } from '../../../../../client/voucher-api.generated.ts'
import classes from '../../../components/controller/connection-test.module.css'
import { Certificate, SecretField } from '../../../components/controller/remedies.tsx'
import { TestLine, TestPanel } from '../../../components/controller/test-panel.tsx'
import { clock, formatTime } from '../../../formats.ts'
import { orValue } from '../../../newer-values.ts'
import type { Security } from './mail-server-panel.tsx'

const names = ['name', 'connection', 'encryption', 'sign_in', 'message'] as const

/** Changes fields of the server, saves and tests again. */
type Change = (fields: { certificate_pin?: string; password?: string; security?: Security; port?: number }) => void

type Props = {
  test: { result: MailServerTest | undefined; error: unknown; isRunning: boolean; at: Date | undefined }
  security: Security
  onRun?: () => void
  /** Without it, no remedy is offered. */
  onChange?: Change
}

/** The lines of a test. The line that failed has its remedy inside. */
export function MailTest({ test: { result, error, isRunning, at }, security, onRun, onChange }: Props) {
  const { t } = useTranslation()
  const known = error || isRunning ? undefined : result
  const time = at && !isRunning && (
    <Text fz={13.5} c="dimmed">
      {formatTime(at, clock)}
    </Text>
  )
  return (
    <TestPanel
      title={t('email.test')}
      note={time}
      isRunning={isRunning}
      hasRun={Boolean(result ?? error)}
      error={error}
      onRun={onRun}
      summary={<Summary test={known} isRunning={isRunning} />}
    >
      {names.map((name) => (
        <Line
          key={name}
          name={name}
          test={known}
          security={security}
          isCurrent={isRunning && name === 'name'}
          onChange={onChange}
        />
      ))}
    </TestPanel>
  )
}

function Summary({ test, isRunning }: { test: MailServerTest | undefined; isRunning: boolean }) {
  const { t } = useTranslation()
  if (isRunning) return t('connection-test.running')
  if (!test) return t('email.not-tested')
  if (test.ok) return t('email.accepted')
  const failed = test.lines.find(({ result, cause }) => result === 'failed' || cause !== null)
  return failed ? t('connection-test.failed-at', { layer: t(`email.line-${failed.line}`, orValue(failed.line)) }) : null
}

type LineProps = {
  name: CheckedMailLine['line']
  test: MailServerTest | undefined
  security: Security
  isCurrent: boolean
  onChange: Change | undefined
}

function Line({ name, test, security, isCurrent, onChange }: LineProps) {
  const { t } = useTranslation()
  const line = test?.lines.find((one) => one.line === name)
  const details = test && line && (
    <>
      {line.result === 'failed' && line.answer !== null && <bdi className={classes.detail}>{line.answer}</bdi>}
      <span className={classes.detail}>
        <Detail line={line} test={test} security={security} />
      </span>
    </>
  )
  return (
    <TestLine
      name={name}
      title={t(`email.line-${name}`)}
      result={line?.result ?? 'skipped'}
      isCurrent={isCurrent}
      durationMs={line?.duration_ms}
      details={details}
      remedy={test && line && line.cause !== null && <Remedy line={line} test={test} onChange={onChange} />}
    />
  )
}

type DetailProps = { line: CheckedMailLine; test: MailServerTest; security: Security }

/** The sentence of a line: its message, or what was found. */
function Detail({ line: { line, result, answer, message }, test, security }: DetailProps) {
  const { t } = useTranslation()
  if (message !== null) return message
  if (result === 'skipped') {
    const failed = test.lines.find((one) => one.cause !== null)
    return failed ? t('email.needs', { line: t(`email.line-${failed.line}`, orValue(failed.line)) }) : null
  }
  const { host, port, addresses, protocol, certificate } = test
  if (line === 'name')
    return addresses[0] === host
      ? t('connection-test.is-address', { address: host })
      : t('connection-test.resolved', { host, addresses: addresses.join(', ') })
  if (line === 'connection')
    return answer === null ? t('connection-test.port-answers', { port }) : t('email.port-says', { port, answer })
  if (line === 'encryption') {
    if (!certificate) return t('email.unencrypted')
    const version = (protocol ?? '').replace('TLSv', 'TLS ')
    const way = security === 'starttls' ? `STARTTLS, ${version}` : version
    const date = certificate.valid_until === null ? '–' : formatTime(certificate.valid_until, { dateStyle: 'medium' })
    return t(certificate.trust === 'pinned' ? 'email.encrypted-pinned' : 'email.encrypted', { way, date })
  }
  if (line === 'sign_in') return answer ?? t('email.no-sign-in')
  return t('email.server-accepted', { answer: answer?.replace(/\.$/, '') ?? '' })
}

type RemedyProps = { line: CheckedMailLine; test: MailServerTest; onChange: Change | undefined }

/** The remedy inside a line that failed. */
function Remedy({ line: { line, cause }, test, onChange }: RemedyProps) {
  const { t } = useTranslation()
  if (line === 'encryption' && test.certificate?.trust === 'untrusted')
    return (
      <Certificate
        certificate={test.certificate}
        trust={onChange && ((fingerprint) => onChange({ certificate_pin: fingerprint }))}
        hint={!onChange && <Text fz={13}>{t('email.pin-variable')}</Text>}
      />
    )
  if (!onChange) return null
  if (cause === 'credentials_refused' || cause === 'password_missing')
    return (
      <SecretField
        label={t('connection-test.new-password')}
        action={t('connection-test.save-and-test')}
        onSubmit={(password) => onChange({ password })}
      />
    )
  if (cause === 'starttls_missing')
    return (
      <Button size="xs" variant="default" onClick={() => onChange({ security: 'tls', port: 465 })}>
        {t('email.use-tls')}
      </Button>
    )
  if (cause === 'not_tls')
    return (
      <Button size="xs" variant="default" onClick={() => onChange({ security: 'starttls', port: 587 })}>
        {t('email.use-starttls')}
      </Button>
    )
  return null
}
