-- Run by scripts/check-editors in a headless Neovim, in a copy of the project: what a user does, by Neovim's own functions.

local function fail(what, shown)
  io.stderr:write('neovim: ' .. what .. (shown and (': ' .. vim.inspect(shown)) or '') .. '\n')
  vim.cmd('cquit 1')
end

local function wait(what, condition)
  if not vim.wait(60000, condition, 20) then
    fail('this never happened: ' .. what, { messages = vim.fn.execute('messages'), buffer = vim.api.nvim_buf_get_lines(0, 0, -1, false) })
  end
end

local function ok(what)
  io.stdout:write('  neovim: ' .. what .. '\n')
end

local function text(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer or 0, 0, -1, false), '\n')
end

local function set(lines)
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
end

local function ask(method, params)
  local answers, reason = vim.lsp.buf_request_sync(0, method, params, 60000)
  if not answers then fail(method, reason) end
  for _, answer in pairs(answers) do
    if answer.error or answer.err then fail(method, answer) end
    return answer.result
  end
end

local function at(word)
  local place = vim.fn.searchpos(word, 'cw')
  vim.api.nvim_win_set_cursor(0, { place[1], place[2] - 1 })
  return vim.lsp.util.make_position_params(0, 'utf-16')
end

vim.cmd('edit model.hif')
wait('diagnostics', function() return #vim.diagnostic.get(0) > 0 end)
local found = vim.diagnostic.get(0)[1]
if found.code ~= 'O0208' then fail('another finding', found) end
ok('diagnostics: ' .. found.message:gsub('\n', ' | '))

local params = vim.lsp.util.make_given_range_params({ 1, 0 }, { 1, 3 }, 0, 'utf-16')
params.context = { diagnostics = {} }
local actions = ask('textDocument/codeAction', params)
vim.lsp.util.apply_workspace_edit(actions[1].edit, 'utf-16')
wait('no diagnostics after the correction', function() return #vim.diagnostic.get(0) == 0 end)
ok('code action: ' .. actions[1].title)

set({ 'seq(client--request->server,', '   server -- response -> client)' })
if vim.lsp.buf.format then vim.lsp.buf.format({ timeout_ms = 60000 }) else vim.lsp.buf.formatting_sync(nil, 60000) end
if text() ~= 'seq(client -- request -> server, server -- response -> client)' then fail('formatting', text()) end
ok('formatting: ' .. text())
vim.cmd('silent write')

local hover = ask('textDocument/hover', at('seq'))
if not hover.contents.value:find('Law:', 1, true) then fail('hover', hover) end
ok('hover: ' .. hover.contents.value:match('Law: [^\n]*'))

at('request')
vim.lsp.buf.definition()
wait('the signature is shown', function() return vim.fn.expand('%:t') == 'sig.hsf' end)
ok('definition: ' .. vim.fn.expand('%:t') .. ' line ' .. vim.fn.line('.'))

-- The client is attached to the new buffer after it is shown.
wait('the server knows the signature', function()
  return #(vim.lsp.get_clients or vim.lsp.get_active_clients)() > 0 and vim.lsp.buf_get_clients ~= nil
    and next(vim.lsp.buf_get_clients(0)) ~= nil
end)
at('client')
vim.lsp.buf.rename('customer')
local function holds(name, wanted)
  local buffer = vim.fn.bufnr(name)
  return buffer > 0 and text(buffer):find(wanted, 1, true) ~= nil
end
wait('the name is changed in all files', function()
  return holds('sig.hsf', '{ customer; server }') and holds('model.hif', 'seq(customer --') and holds('otus.toml', '"customer"')
    and holds('good.htf', 'customer!request')
end)
vim.cmd('silent wall')
ok('rename: in sig.hsf, model.hif, otus.toml and runs/good.htf')

vim.cmd('edit model.hif')
vim.lsp.codelens.refresh()
wait('a lens', function() return #vim.lsp.codelens.get(0) > 0 end)
local lens = vim.lsp.codelens.get(0)[1]
local verdicts = ask('workspace/executeCommand', { command = lens.command.command, arguments = lens.command.arguments })
if verdicts.summary ~= '2 of 2 tests as expected' then fail('code lens', verdicts) end
ok('code lens: ' .. lens.command.title .. ': ' .. verdicts.summary)

local completions = ask('textDocument/completion', at('request'))
if #completions == 0 then fail('completion', completions) end
ok('completion: ' .. completions[1].label)
vim.cmd('quitall!')
