-- Otus in Neovim, 0.7 or newer. Add this folder to 'runtimepath', or copy plugin/ and syntax/ into ~/.config/nvim:
--
--     vim.opt.runtimepath:append('/path/to/otus/editors/neovim')
--
-- `otus` must be in $PATH, or be named: vim.g.otus_command = { '/path/to/otus', 'lsp' }
--
-- :OtusAnalyze analyses the specification in the current buffer. "analyze" above it does the same: vim.lsp.codelens.run().

if vim.g.loaded_otus then
  return
end
vim.g.loaded_otus = true

local group = vim.api.nvim_create_augroup('otus', {})

-- The languages that Neovim does not know.
vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  group = group,
  pattern = { '*.hsf', '*.hif', '*.hcf', '*.htf', '*.ctl' },
  callback = function() vim.bo.filetype = 'otus' end,
})
vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  group = group,
  pattern = { '*.mmd', '*.mermaid' },
  callback = function() vim.bo.filetype = 'mermaid' end,
})
vim.api.nvim_create_autocmd({ 'BufRead', 'BufNewFile' }, {
  group = group,
  pattern = { '*.puml', '*.plantuml', '*.pu', '*.iuml', '*.wsd' },
  callback = function() vim.bo.filetype = 'plantuml' end,
})

-- The folder of the nearest otus.toml, or that of the file.
local function root(path)
  local folder = vim.fn.fnamemodify(path, ':p:h')
  local settings = vim.fn.findfile('otus.toml', folder .. ';')
  return settings ~= '' and vim.fn.fnamemodify(settings, ':p:h') or folder
end

-- Shows "analyze" above specifications. Without a client, Neovim would wait for an answer for ever.
local function show_lenses(buffer)
  local attached = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = buffer, name = 'otus' }) or vim.lsp.buf_get_clients(buffer)
  if next(attached) then
    vim.api.nvim_buf_call(buffer, function() pcall(vim.lsp.codelens.refresh) end)
  end
end

-- One server knows all texts, so that a change in one of them shows in the others before it is saved.
local client

local function attach(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  if vim.bo[buffer].filetype == 'toml' and vim.fn.fnamemodify(path, ':t') ~= 'otus.toml' then
    return
  end
  local config = {
    name = 'otus',
    cmd = vim.g.otus_command or { 'otus', 'lsp' },
    root_dir = root(path),
    on_attach = function(_, attached) vim.schedule(function() show_lenses(attached) end) end,
  }
  if vim.lsp.start then
    vim.lsp.start(config, { bufnr = buffer, reuse_client = function(other) return other.name == 'otus' end })
    return
  end
  -- Before 0.8.
  if not client or not vim.lsp.get_client_by_id(client) then
    client = vim.lsp.start_client(config)
  end
  if client then
    vim.lsp.buf_attach_client(buffer, client)
  end
end

vim.api.nvim_create_autocmd('FileType', {
  group = group,
  pattern = { 'otus', 'mermaid', 'plantuml', 'markdown', 'toml' },
  callback = function(event)
    vim.bo[event.buf].commentstring = vim.bo[event.buf].filetype == 'otus' and '// %s' or vim.bo[event.buf].commentstring
    attach(event.buf)
  end,
})
vim.api.nvim_create_autocmd({ 'InsertLeave', 'BufWritePost' }, {
  group = group,
  pattern = { '*.hsf', '*.hif', '*.htf', '*.mmd', '*.mermaid', '*.puml', '*.plantuml', '*.md', 'otus.toml' },
  callback = function(event) show_lenses(event.buf) end,
})

-- Shows the verdicts in a window below.
local function show(text)
  vim.cmd('silent! bwipeout otus://verdicts')
  local lines = vim.split(text, '\n')
  vim.cmd('botright ' .. math.min(#lines + 1, 15) .. 'new')
  vim.api.nvim_buf_set_name(0, 'otus://verdicts')
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.modifiable, vim.bo.swapfile = 'nofile', 'wipe', false, false
  vim.cmd('wincmd p')
end

vim.api.nvim_create_user_command('OtusAnalyze', function()
  vim.lsp.buf_request(0, 'workspace/executeCommand', {
    command = 'otus.analyze',
    arguments = { { uri = vim.uri_from_bufnr(0) } },
  }, function(error, result)
    show(error and error.message or result.text)
  end)
end, { desc = 'Analyse the specification in this buffer' })
