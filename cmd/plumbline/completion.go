package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish"`
}

// Help shows examples.
func (completionCmd) Help() string {
	return `Examples:
  source <(plumbline completion bash)
  plumbline completion fish > ~/.config/fish/completions/plumbline.fish`
}

func (c *completionCmd) Run(a *app, k *kong.Kong) error {
	words := map[string][]string{} // command path to what may follow
	var walk func(path string, n *kong.Node)
	walk = func(path string, n *kong.Node) {
		var list []string
		for _, child := range n.Children {
			if child.Hidden {
				continue
			}
			list = append(list, child.Name)
			walk(strings.TrimSpace(path+" "+child.Name), child)
		}
		for _, group := range n.AllFlags(true) {
			for _, f := range group {
				list = append(list, "--"+f.Name)
			}
		}
		words[path] = list
	}
	walk("", k.Model.Node)
	w := a.std.Out
	switch c.Shell {
	case "fish":
		for _, path := range slices.Sorted(maps.Keys(words)) {
			list, cond := words[path], "__fish_use_subcommand"
			if path != "" {
				parts := strings.Fields(path)
				cond = "__fish_seen_subcommand_from " + parts[len(parts)-1]
			}
			fmt.Fprintf(w, "complete -c plumbline -f -n %q -a %q\n", cond, strings.Join(list, " "))
		}
		return nil
	case "zsh":
		fmt.Fprintln(w, "autoload -U +X bashcompinit && bashcompinit")
	}
	fmt.Fprintln(w, "_plumbline() {\n  local path=\"\" w\n  for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do [[ $w == -* ]] || path=\"${path:+$path }$w\"; done\n  case \"$path\" in")
	for _, path := range slices.Sorted(maps.Keys(words)) {
		list := words[path]
		fmt.Fprintf(w, "  %q) COMPREPLY=($(compgen -W %q -- \"${COMP_WORDS[COMP_CWORD]}\"));;\n", path, strings.Join(list, " "))
	}
	fmt.Fprintln(w, "  esac\n}\ncomplete -o default -F _plumbline plumbline")
	return nil
}
