import { Anchor, Paper, Table, Text } from '@mantine/core'
import { IconChartBar, IconTable } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLayout } from '../../hooks/use-layout.ts'
import { lazyPart } from '../../new-version.tsx'
import classes from './overview.module.css'
import { labelledDays, type Overview, roundTicks, useFormats } from './overview-data.ts'

const IssuedChart = lazyPart(async () => (await import('./issued-chart.tsx')).IssuedChart)

/** How many vouchers were issued on each day, and how many of these somebody has used: as a chart or as a table. */
export function IssuedPanel({ overview }: { overview: Overview }) {
  const { t } = useTranslation()
  const [isTable, setIsTable] = useState(false)
  const formats = useFormats(overview.time_zone)
  const { issued, redeemed, ending_within_24_h } = overview.totals
  return (
    <Paper component="section" withBorder radius="lg" bg="var(--vs-panel)" aria-label={t('overview.issued-title')}>
      <div className={classes.head}>
        <div className={classes.figures}>
          <Figure label={t('overview.issued')} value={formats.number(issued)} />
          <Figure
            label={t('overview.redeemed')}
            value={formats.number(redeemed)}
            note={issued > 0 ? formats.percent(redeemed / issued) : undefined}
          />
          <Figure label={t('overview.ending')} value={formats.number(ending_within_24_h)} />
        </div>
        <div className={classes.legend}>
          <span data-series={1}>{t('overview.redeemed')}</span>
          <span data-series={2}>{t('overview.not-redeemed')}</span>
          <Anchor component="button" fz={13} className={classes.toggle} onClick={() => setIsTable(!isTable)}>
            {isTable ? <IconChartBar size={16} aria-hidden /> : <IconTable size={16} aria-hidden />}
            {t(isTable ? 'overview.chart' : 'overview.table')}
          </Anchor>
        </div>
      </div>
      <div className={classes.box}>
        {isTable ? <IssuedTable overview={overview} /> : issued > 0 ? <Chart overview={overview} /> : <NoVouchers />}
      </div>
    </Paper>
  )
}

function Figure({ label, value, note }: { label: string; value: string; note?: string | undefined }) {
  return (
    <div className={classes.figure}>
      <Text fz={13}>{label}</Text>
      <Text span fz={24} lh="32px" fw={600}>
        {value}
      </Text>{' '}
      {note && (
        <Text span c="dimmed">
          {note}
        </Text>
      )}
    </div>
  )
}

function Chart({ overview: { days, totals, time_zone } }: { overview: Overview }) {
  const { t } = useTranslation()
  const formats = useFormats(time_zone)
  const isPhone = useLayout() === 'phone'
  const all = days.map(({ day }) => day)
  const summary = t('overview.chart-summary', {
    days: days.length,
    issued: formats.number(totals.issued),
    redeemed: formats.number(totals.redeemed),
  })
  return (
    <div role="img" aria-label={summary}>
      <Suspense>
        <IssuedChart
          data={days.map(({ day, issued, redeemed }) => ({ day, redeemed, open: issued - redeemed }))}
          ticks={roundTicks(Math.max(...days.map(({ issued }) => issued)))}
          dayTicks={labelledDays(all, isPhone)}
          labelOf={(day) => (day === all.at(-1) ? t('overview.today') : formats.day(day))}
          fullLabelOf={(day) => formats.day(day, { weekday: 'short', day: 'numeric', month: 'long' })}
          numberOf={formats.number}
          names={{ redeemed: t('overview.redeemed'), open: t('overview.not-redeemed') }}
        />
      </Suspense>
    </div>
  )
}

/** The same numbers as the chart, today first. */
function IssuedTable({ overview: { days, totals, time_zone } }: { overview: Overview }) {
  const { t } = useTranslation()
  const { number, day: format } = useFormats(time_zone)
  const cells = (issued: number, redeemed: number) => (
    <>
      <Table.Td>{number(issued)}</Table.Td>
      <Table.Td>{number(redeemed)}</Table.Td>
      <Table.Td>{number(issued - redeemed)}</Table.Td>
    </>
  )
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard can scroll only what has the focus
    <section className={classes.tableBox} tabIndex={0} aria-label={t('overview.issued-title')}>
      <Table className={classes.table} stickyHeader verticalSpacing={6} horizontalSpacing="var(--cell-gap)">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('overview.day')}</Table.Th>
            <Table.Th>{t('overview.issued')}</Table.Th>
            <Table.Th>{t('overview.redeemed')}</Table.Th>
            <Table.Th>{t('overview.not-redeemed')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {days.toReversed().map(({ day, issued, redeemed }) => (
            <Table.Tr key={day}>
              <Table.Th scope="row" fw={500}>
                {format(day, { weekday: 'short', day: 'numeric', month: 'short' })}
              </Table.Th>
              {cells(issued, redeemed)}
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th scope="row">{t('overview.sum')}</Table.Th>
            {cells(totals.issued, totals.redeemed)}
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </section>
  )
}

function NoVouchers() {
  const { t } = useTranslation()
  return (
    <div className={classes.nothing}>
      <Text fw={500}>{t('overview.no-vouchers')}</Text>
      <Text c="dimmed" fz={13.5}>
        {t('overview.no-vouchers-text')}{' '}
        <Anchor fz={13.5} underline="always" renderRoot={(props) => <Link to="/desk" {...props} />}>
          {t('overview.to-desk')}
        </Anchor>
      </Text>
    </div>
  )
}
