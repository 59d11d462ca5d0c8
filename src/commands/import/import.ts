import type { Command } from 'commander'
import type { Terminal } from '../terminal/terminal.ts'
import { registerPhpTool } from './php-tool/import.ts'

export function registerImport(command: Command, terminal: Terminal): void {
  registerPhpTool(command.command('php-tool'), terminal)
}
