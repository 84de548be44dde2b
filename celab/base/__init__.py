"""What every other part uses: errors, files, options, text, results, signatures."""
