/**
 * Where the tool server is reached: `/mcp`, `/sse` (the older revision's path), `/mcp/connector` and the toolsets,
 * each with and without its slash, in the fast lane.
 */
import { headersWith, type ServedRoute, textReply } from '../../http/fast-lane.ts'
import { TOOLSETS, type Toolset } from './registry.ts'
import type { ToolServer } from './server.ts'

export type ToolFaces = { tools: ToolServer; connector: ToolServer } & Record<Toolset, ToolServer>

const FACES: Record<string, keyof ToolFaces> = {
  '/mcp': 'tools',
  '/sse': 'tools',
  '/mcp/connector': 'connector',
  [TOOLSETS.shopping.path]: 'shopping',
  [TOOLSETS.selling.path]: 'selling',
  [TOOLSETS.readonly.path]: 'readonly',
}
export const TOOL_PATHS = Object.keys(FACES)

export function toolRoutes(faces: ToolFaces, { https }: { https: boolean }): ServedRoute[] {
  const common = headersWith(https)
  return Object.entries(FACES).map(([path, face]) => ({
    path,
    async serve(request) {
      const { status, headers, body } = await faces[face].handle(request)
      const all = [...common, ...headers]
      return typeof body === 'function' ? { status, headers: all, body } : textReply(status, all, body ?? '')
    },
  }))
}
